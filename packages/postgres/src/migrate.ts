import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { ConfigError, databaseFields, defineConfig } from '@parley/config'
import { logger } from '@parley/telemetry'
import { isDatabaseUnavailable, isLockTimeout } from './errors.ts'

const log = logger('migrate')

export type MigrationOptions = {
  /**
   * postgres:// URL of a direct connection: the migrator needs a session, which a transaction pooler does not provide.
   */
  url: string
  /** Directory that drizzle-kit generated. */
  folder: string
  /**
   * How long a statement of the migration waits for a lock (default 2 s); queries of the service on that table queue
   * behind it. After that, the migration is rolled back and retried after an equal pause.
   */
  lockTimeoutMs?: number
}

const EX_CONFIG = 78
const MISSING_DATABASE = '3D000'
const maxLockWaitMs = 300_000
/** Another process created the database at the same time. */
const alreadyExists = new Set(['42P04', '23505'])
/** Any constant: the advisory lock is per database. */
const MIGRATION_LOCK = 5_021_977

/**
 * Applies the pending migrations in one transaction. Concurrent processes wait for each other. Creates a missing
 * database if the role may do so.
 */
export async function migrateDatabase(options: MigrationOptions): Promise<void> {
  const client = await connect(options.url)
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await migrateWhileServing(client, options)
  } finally {
    await client.end()
  }
}

/**
 * Migrates while the previous version is serving. If another transaction holds a lock, the migration gives up after
 * `lockTimeoutMs` and retries, so the service's queries wait behind it for at most that time.
 */
async function migrateWhileServing(
  client: pg.Client,
  { folder, lockTimeoutMs = 2_000 }: MigrationOptions,
): Promise<void> {
  await client.query(`set lock_timeout = ${Math.ceil(lockTimeoutMs)}`)
  for (const giveUpAt = Date.now() + maxLockWaitMs; ;) {
    try {
      return await migrate(drizzle({ client }), { migrationsFolder: folder })
    } catch (error) {
      if (!isLockTimeout(error) || Date.now() > giveUpAt) throw error
      log.warn('a table is locked by other connections; the migration will be retried')
      await new Promise((resolve) => setTimeout(resolve, lockTimeoutMs))
    }
  }
}

/**
 * The program migrate.ts of a service: reads the database URL from the configuration, waits up to 30 s for a server
 * that is starting, and migrates. Sets the exit code to 1 on failure, or prints the problem and sets it to 78 if the
 * configuration is invalid. `folder`: the directory of the migrations.
 */
export async function runMigrations(service: string, folder: URL): Promise<void> {
  const url = readDatabaseUrl(service)
  const giveUpAt = Date.now() + 30_000
  while (url !== undefined) {
    try {
      await migrateDatabase({ url, folder: fileURLToPath(folder) })
      return log.info({ service }, 'the database is up to date')
    } catch (error) {
      if (!isDatabaseUnavailable(error) || Date.now() > giveUpAt) {
        process.exitCode = 1
        return log.error({ err: error, service }, 'the database could not be migrated')
      }
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }
}

function readDatabaseUrl(service: string): string | undefined {
  try {
    return defineConfig(databaseFields(service))().databaseUrl
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.exitCode = EX_CONFIG
    process.stderr.write(`${service}: ${error.message}\n`)
    return undefined
  }
}

async function connect(url: string): Promise<pg.Client> {
  try {
    return await open(url)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === MISSING_DATABASE)) throw error
  }
  await createDatabase(url)
  return await open(url)
}

async function createDatabase(url: string): Promise<void> {
  const target = new URL(url)
  const name = decodeURIComponent(target.pathname.slice(1))
  target.pathname = '/postgres'
  const admin = await open(target.href)
  try {
    await admin.query(`create database ${pg.escapeIdentifier(name)}`)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && alreadyExists.has(error.code ?? ''))) throw error
  } finally {
    await admin.end()
  }
}

async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, application_name: 'migrate' })
  // If the connection breaks, its statement rejects too; this listener only keeps the process alive.
  client.on('error', () => undefined)
  await client.connect()
  // Timeouts of the role are meant for the service, not for migrations.
  await client.query('set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0')
  return client
}
