import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Child, startChild, whenReady } from './child.ts'
import { freePort, probe } from './ports.ts'
import type { ServerOptions } from './server-options.ts'
import { requireExecutable } from './system-packages.ts'

export type Nats = Child & {
  port: number
  url: string
}

const configurationWithoutUsers =
  'max_payload: 2MB\nping_interval: "5s"\nping_max: 2\njetstream: { max_file_store: 4GB, max_memory_store: 64MB }\n'

/**
 * With more processors Go passes each message between threads, which takes a third of the processor time of an idle
 * fleet's NATS server.
 */
const oneProcessor = { GOMAXPROCS: process.env.GOMAXPROCS ?? '1' }

/**
 * Starts a NATS server. `conf` is a configuration file; `port` and `dir` override its address and store. Without
 * `conf`, every client may do everything. `env` has the variables that the file uses.
 */
export async function startNats(options: ServerOptions & { conf?: string; env?: NodeJS.ProcessEnv }): Promise<Nats> {
  mkdirSync(options.dir, { recursive: true, mode: 0o700 })
  const command = await requireExecutable('nats-server', options.say)
  const port = options.port || (await freePort())
  const child = await startChild({
    name: 'NATS',
    command,
    args: [
      '-c',
      options.conf ?? writeConfWithoutUsers(options.dir),
      '-a',
      '127.0.0.1',
      '-p',
      String(port),
      '-sd',
      join(options.dir, 'store'),
    ],
    cwd: options.dir,
    env: { PATH: process.env.PATH, ...oneProcessor, ...options.env },
    logFile: options.logFile ?? join(options.dir, 'server.log'),
    pidFile: options.pidFile ?? join(options.dir, 'server.pid'),
    stopSignals: ['SIGTERM'],
  })
  await whenReady(child, 'NATS', () => probe(port, '', (answer) => answer.startsWith('INFO ')))
  return { ...child, port, url: `nats://127.0.0.1:${port}` }
}

function writeConfWithoutUsers(dir: string): string {
  const file = join(dir, 'nats.conf')
  writeFileSync(file, configurationWithoutUsers)
  return file
}
