import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { type Child, startChild, whenReady } from './child.ts'
import { lockByKernel } from './kernel-lock.ts'
import { endLeftover } from './pid-file.ts'
import { freePort } from './ports.ts'
import { openPostgresFolder, postgresEnvironment } from './postgres-folder.ts'
import { programOf } from './process-identity.ts'
import type { ServerOptions } from './server-options.ts'

export type Postgres = Child & {
  port: number
  /**
   * Host in connection strings of programs on this machine: the percent-encoded folder of its Unix socket, which
   * costs a third less processor time than TCP. 127.0.0.1 if the path of the socket is too long or contains a quote
   * or backslash.
   */
  localHost: string
  url(database: string): string
  adminUrl: string
}

/**
 * Starts PostgreSQL on a folder, which is created if it is missing. With `fsync: false` it commits faster, but a
 * crash of the machine may corrupt the database.
 */
export async function startPostgres(options: ServerOptions & { fsync?: boolean }): Promise<Postgres> {
  const folder = openPostgresFolder(options.dir, options.say ?? (() => {}))
  const port = options.port || (await freePort())
  const pidFile = options.pidFile ?? join(options.dir, 'server.pid')
  // Fast shutdown, then immediate shutdown, after which PostgreSQL recovers at its next start.
  const stopSignals: NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']
  const stopTimeoutMs = 20_000
  await endLeftover(pidFile, stopSignals, stopTimeoutMs)
  // PostgreSQL inherits the lock, so that no other fleet uses its folder, even from a container that cannot see its
  // pid.
  const lock = lockByKernel(join(folder.root, 'server.lock'))
  if (lock === undefined)
    throw new Error(
      `PostgreSQL still runs on ${folder.root}, perhaps in another container or on the host of this container; stop it first`,
    )
  removeStaleLock(join(folder.data, 'postmaster.pid'))
  removeStaleLock(join(folder.root, `.s.PGSQL.${port}.lock`))
  const sockets = fitsSocket(folder.root) ? folder.root : undefined
  const testSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300']
  const settings = [
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${sockets === undefined ? '' : `"${sockets}"`}`,
    `port=${port}`,
    'timezone=UTC',
    'log_timezone=UTC',
    // An idle server then wakes less often. Commits do not wait for the WAL writer: they write their WAL themselves.
    'wal_writer_delay=2s',
    'bgwriter_delay=2s',
    'autovacuum_naptime=5min',
    ...(options.fsync === false ? testSettings : []),
  ]
  const child = await startChild({
    name: 'PostgreSQL',
    command: join(folder.binaries.dir, 'postgres'),
    args: ['-D', folder.data, ...settings.flatMap((setting) => ['-c', setting])],
    cwd: folder.root,
    env: postgresEnvironment(),
    user: folder.user,
    logFile: options.logFile ?? join(options.dir, 'server.log'),
    inheritedFd: lock.fd,
    ...{ pidFile, stopSignals, stopTimeoutMs },
  }).finally(lock.release)
  const url = (database: string) => `postgres://postgres:${folder.password}@127.0.0.1:${port}/${database}`
  await whenReady(child, 'PostgreSQL', () => isAnswering(url('postgres')), 60_000)
  const localHost = sockets === undefined ? '127.0.0.1' : encodeURIComponent(sockets)
  return { ...child, port, localHost, url, adminUrl: url('postgres') }
}

/** Systems limit the length of a socket's path, macOS to 103 bytes; a quote would end the setting. */
function fitsSocket(folder: string): boolean {
  return Buffer.byteLength(join(folder, '.s.PGSQL.65535.lock')) <= 103 && !/["\\]/.test(folder)
}

async function isAnswering(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

/**
 * After a crash of the machine, the pid in one of PostgreSQL's own lock files may belong to another process, which
 * would prevent the start. Call it only while holding the kernel lock.
 */
function removeStaleLock(lockFile: string) {
  if (!existsSync(lockFile)) return
  const program = programOf(Number.parseInt(readFileSync(lockFile, 'utf8'), 10))
  if (program !== undefined && !program.startsWith('postgres')) rmSync(lockFile)
}
