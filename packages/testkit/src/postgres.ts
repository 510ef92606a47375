import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Database, type DatabaseOptions, migrateDatabase, openDatabase } from '@parley/postgres'
import type pg from 'pg'
import { clonePrefix, withClient } from './old-databases.ts'
import { testInfrastructure } from './infrastructure.ts'
import { lock } from './locks.ts'
import { type StoppableServer, outageProxy } from '@parley/tooling/outage-proxy'

export type TestDatabase = StoppableServer & { url: string }

export type TestDatabaseOptions = {
  /** Enables `stop()`, which makes the database unreachable, and `start()`. All connections then go through a proxy. */
  outages?: boolean
}

/**
 * A database with the migrations of a service's drizzle folder: a clone of a template that is migrated once for each
 * content of the folder. Disposing drops it.
 */
export async function testDatabase(
  drizzleFolder: string | URL,
  { outages = false }: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  const folder = typeof drizzleFolder === 'string' ? resolve(drizzleFolder) : fileURLToPath(drizzleFolder)
  const template = await migratedTemplate(folder)
  const name = `${clonePrefix}${Date.now().toString(36)}_${randomBytes(6).toString('hex')}`
  await administer((client) => client.query(`create database ${name} template ${template} strategy file_copy`))
  const { postgresAdminUrl } = await testInfrastructure()
  const direct = withDatabase(postgresAdminUrl, name)
  const endpoint = outages ? await outageProxy(direct, 5432) : withoutOutages(direct)
  return {
    ...endpoint,
    async [Symbol.asyncDispose]() {
      await endpoint[Symbol.asyncDispose]()
      await administer((client) => client.query(`drop database if exists ${name} with (force)`))
    },
  }
}

/** The long connection timeout is for slow machines. */
export const openTestDatabase = (url: string, options: Partial<DatabaseOptions> = {}): Promise<Database> =>
  openDatabase({ url, pool: 4, name: 'test', connectTimeoutMs: 30_000, ...options })

function withoutOutages(url: string): StoppableServer {
  const cannot = () => Promise.reject(new Error('this database was created without { outages: true }'))
  return { url, stop: cannot, start: cannot, [Symbol.asyncDispose]: () => Promise.resolve() }
}

async function migratedTemplate(folder: string): Promise<string> {
  const name = `parley_template_${contentHash(folder)}`
  await using _turn = await lock(name)
  const { postgresAdminUrl } = await testInfrastructure()
  const known = await administer((client) => client.query('select 1 from pg_database where datname = $1', [name]))
  if (known.rowCount === 1) return name
  // It is renamed when complete, so that a half-migrated database is never used as a template.
  await administer((client) => client.query(`drop database if exists ${name}_new with (force)`))
  await migrateDatabase({ url: withDatabase(postgresAdminUrl, `${name}_new`), folder })
  await administer((client) => client.query(`alter database ${name}_new rename to ${name}`))
  return name
}

function contentHash(folder: string): string {
  const hash = createHash('sha256')
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, file)
    if (statSync(path).isFile()) hash.update(`${file}\0`).update(readFileSync(path)).update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}

function withDatabase(url: string, database: string): string {
  const result = new URL(url)
  result.pathname = `/${database}`
  return result.href
}

async function administer<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { postgresAdminUrl } = await testInfrastructure()
  return withClient(postgresAdminUrl, work)
}
