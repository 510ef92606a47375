import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Child, startChild, whenReady } from './child.ts'
import { freePort, probe } from './ports.ts'
import type { ServerOptions } from './server-options.ts'
import { requireExecutable } from './system-packages.ts'

export type Redis = Child & {
  port: number
  url: string
}

/** Starts Redis as a cache: nothing is written to disk, and losing its data does no harm. */
export async function startRedis(options: ServerOptions & { password?: string }): Promise<Redis> {
  mkdirSync(options.dir, { recursive: true, mode: 0o700 })
  const command = await requireExecutable('redis-server', options.say)
  const port = options.port || (await freePort())
  const { password } = options
  const conf = join(options.dir, 'redis.conf')
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `dir ${JSON.stringify(options.dir)}`,
    'save ""',
    'appendonly no',
    'daemonize no',
  ]
  lines.push('hz 1')
  if (password !== undefined) lines.push(`requirepass ${password}`)
  writeFileSync(conf, lines.join('\n') + '\n', { mode: 0o600 })
  const child = await startChild({
    name: 'Redis',
    command,
    args: [conf],
    cwd: options.dir,
    logFile: options.logFile ?? join(options.dir, 'server.log'),
    pidFile: options.pidFile ?? join(options.dir, 'server.pid'),
    stopSignals: ['SIGTERM'],
  })
  const greeting = (password === undefined ? '' : `AUTH ${password}\r\n`) + 'PING\r\n'
  await whenReady(child, 'Redis', () => probe(port, greeting, (answer) => answer.includes('+PONG')))
  const login = password === undefined ? '' : `:${password}@`
  return { ...child, port, url: `redis://${login}127.0.0.1:${port}` }
}
