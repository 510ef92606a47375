import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'

const findProgram = () =>
  ['/usr/sbin/pgbouncer', 'pgbouncer'].find((path) => spawnSync(path, ['--version']).status === 0)

export const hasPgBouncer = (): boolean => findProgram() !== undefined

/** `url`: the address of the database through the pooler. */
export type Pooler = AsyncDisposable & { url: string }

/** `connections`: how many connections to the server PgBouncer may open. */
export async function startPgBouncer(
  url: string,
  { mode, connections = 20 }: { mode: 'session' | 'transaction'; connections?: number },
): Promise<Pooler> {
  const { hostname, port, username, password, pathname } = new URL(url)
  // The example configuration lists the start-up parameters that a pooler must ignore.
  const example = readFileSync(join(import.meta.dirname, '../../../deploy/examples/postgres.yaml'), 'utf8')
  const [, ignored = ''] = /ignore_startup_parameters: (.+)/.exec(example) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'parley-pooler-'))
  const at = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${at}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${connections}
ignore_startup_parameters = ${ignored}
`,
  )
  chmodSync(folder, 0o755)
  chmodSync(file, 0o644)
  // It refuses to run as root.
  const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  const child = spawn(findProgram() ?? '', [file], { stdio: 'ignore', ...nobody })
  const stop = async () => {
    await end(child)
    rmSync(folder, { recursive: true })
  }
  try {
    await eventually(() => assertListening(at))
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `postgres://${username}@127.0.0.1:${at}${pathname}`, [Symbol.asyncDispose]: stop }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function assertListening(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
