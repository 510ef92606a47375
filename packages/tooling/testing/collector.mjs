import { spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { eventually } from './eventually.ts'

const cwd = fileURLToPath(new URL('../../..', import.meta.url))

/** The exit code does not matter, because a custom build may lack `--version`. */
export const collectorProgram = ['otelcol-contrib', 'otelcol'].find(
  (name) => spawnSync(name, ['--version']).error === undefined,
)

/** A custom build may lack components. Older Collectors write the names without underscores. */
export function hasComponents(...names) {
  if (collectorProgram === undefined) return false
  const listed = spawnSync(collectorProgram, ['components']).stdout.toString()
  const has = new Set([...listed.matchAll(/name: (\w+)/g)].map(([, name]) => name.replaceAll('_', '')))
  return names.every((name) => has.has(name.replaceAll('_', '')))
}

/** Later configurations override earlier ones; `healthPort` is the port of the health check. */
export async function runCollector(configurations, { env = {}, healthPort }) {
  const args = configurations.flatMap((one) => ['--config', one])
  const child = spawn(collectorProgram, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (text) => (said += text))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const stop = async () => {
    child.kill()
    await ended
  }
  try {
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`the Collector ended: ${said}`)
      return (await fetch(`http://127.0.0.1:${healthPort}`)).ok
    })
  } catch (error) {
    await stop()
    throw error
  }
  return { [Symbol.asyncDispose]: stop }
}

export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  const ports = await Promise.all(
    servers.map((server) => new Promise((resolve) => server.once('listening', () => resolve(server.address().port)))),
  )
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
