import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { eventually } from '@parley/tooling/eventually'
import { migrateDatabase, openDatabase } from '../src/index.ts'
import { newDatabaseUrl } from './_databases.ts'

const program = ['/usr/sbin/pgbouncer', 'pgbouncer'].find((path) => spawnSync(path, ['--version']).status === 0)
/** The example configuration, which lists the start-up parameters that a pooler must ignore. */
const example = readFileSync(join(import.meta.dirname, '../../../deploy/examples/postgres.yaml'), 'utf8')
const [, ignored = ''] = /ignore_startup_parameters: (.+)/.exec(example) ?? []
const url = newDatabaseUrl()
const folder = mkdtempSync(join(tmpdir(), 'parley-pooler-'))
const poolers: ChildProcess[] = []

beforeAll(() => migrateDatabase({ url, folder: join(import.meta.dirname, 'drizzle') }))
afterAll(() => {
  for (const pooler of poolers) pooler.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** A pooler in front of the database of this file; returns its URL. */
async function poolerOf(mode: 'session' | 'transaction', connections = 20): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url)
  const at = await freePort()
  const file = join(folder, `${mode}-${connections}.ini`)
  const target = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`
  writeFileSync(
    file,
    `[databases]
* = ${target}
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
  poolers.push(spawn(program ?? '', [file], { stdio: 'ignore', ...nobody }))
  const there = `postgres://${username}@127.0.0.1:${at}${pathname}`
  await eventually(async () => {
    const client = new pg.Client({ connectionString: there })
    await client.connect()
    await client.end()
  })
  return there
}

test('without a pooler, a database answers the first ping and later ones', async () => {
  await using database = await openDatabase({ url, pool: 2, name: 'test' })
  await database.ping()
  await database.ping()
})

if (program === undefined) console.log('skipped: tests with a pooler (pgbouncer not found)')
const withPooler = program === undefined ? test.skip : test

withPooler('a pooler that drops prepared statements is reported', async () => {
  await using database = await openDatabase({ url: await poolerOf('transaction'), pool: 4, name: 'test' })
  await expect(database.ping()).rejects.toThrow(/max_prepared_statements/)
})

withPooler('a pooler that keeps a connection per client is accepted', async () => {
  await using database = await openDatabase({ url: await poolerOf('session'), pool: 4, name: 'test' })
  await database.ping()
})

withPooler('a pooler with a single connection cannot be checked, and is accepted', async () => {
  const there = await poolerOf('transaction', 1)
  await using database = await openDatabase({ url: there, pool: 4, name: 'test', statementTimeoutMs: 500 })
  await database.ping()
})
