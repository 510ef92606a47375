import { fileURLToPath } from 'node:url'
import { databaseFields } from '@parley/config'
import { destinationOf, migrationState, openDatabase, type Database, type Destination } from '@parley/postgres'
import { encodeAdvice, hostEndsInPassword } from './address.ts'
import { requestPostgresTls, reportCertificateFile, reportServerCertificate } from './certificates.ts'
import { check, type Check } from './check.ts'
import { reportClock } from './clock.ts'
import { codeOf, reasonOf, type Report } from './finding.ts'
import { reportVersion } from './versions.ts'

type Pool = Database['pool']

/** From this fraction of the connections on, a warning is reported. */
const maxUsedFraction = 0.8

/**
 * Checks the database of a deployable: certificates, connection, version, whether it accepts changes, role,
 * permissions, migrations, connections in use, clock, and prepared statements. `migrations` is the folder with the
 * migrations of this release.
 */
export function databaseCheck(deployable: string, migrations: URL): Check {
  const fields = databaseFields(deployable)
  const [setting = ''] = fields.databaseUrl.env
  return check('postgres', fields, async ({ databaseUrl: url }, report) => {
    await checkCertificateFiles(url, report)
    const destination = readDestination(url, setting, report)
    if (destination === undefined) return
    await checkCertificate(destination, report)
    await using database = await openDatabase({ url, pool: 4, name: `${deployable} doctor`, connectTimeoutMs: 5_000 })
    try {
      await database.pool.query('select 1')
    } catch (error) {
      return reportUnreachable(report, error, { destination: describe(destination), setting, deployable })
    }
    const { pool } = database
    report.ok('postgres.reach', `connected to ${describe(destination)}`)
    const parts = [
      () => checkServer(pool, report),
      () => checkRights(pool, report),
      () => checkMigrations(pool, report, { deployable, folder: fileURLToPath(migrations) }),
      () => checkConnections(pool, report),
      () => checkClock(pool, report),
      () => checkPooler(database, report),
    ]
    for (const part of parts) {
      try {
        await part()
      } catch (error) {
        report.fail(
          'postgres',
          `a query failed: ${reasonOf(error)}`,
          'Check the log of PostgreSQL, then run the doctor again.',
        )
      }
    }
  })
}

function readDestination(url: string, setting: string, report: Report): Destination | undefined {
  try {
    if (!hostEndsInPassword(url)) return destinationOf(url)
    report.fail('postgres.reach', `${setting} has no host where it is expected`, encodeAdvice(setting))
  } catch (error) {
    const isFile = error instanceof Error && 'syscall' in error
    const next = isFile ? `Correct the path of the certificate in ${setting}.` : encodeAdvice(setting)
    report.fail('postgres.reach', `${setting} cannot be read: ${reasonOf(error)}`, next)
  }
  return undefined
}

const describe = ({ host, port, database, user }: Destination): string =>
  `${host}:${port}, database ${database}, as ${user}`

const tlsAdvice =
  'Let PostgreSQL offer TLS with a valid certificate for this host name, and set sslrootcert=... in the URL or NODE_EXTRA_CA_CERTS to a file with its authority; or remove sslmode from the URL.'

type Attempt = { destination: string; setting: string; deployable: string }

function reportUnreachable(report: Report, error: unknown, { destination, setting, deployable }: Attempt): void {
  const advice: Record<string, string> = {
    '28P01': `Put the password of this role into ${setting}, or set it with: alter role ... password '...'.`,
    '28000': `Create this role, allow it to connect in pg_hba.conf, or set another role in ${setting}.`,
    '3D000': `Run services/${deployable}/dist/migrate.js, which creates the database if the role has the permission; otherwise create it, or correct ${setting}.`,
    '42501': 'Allow the role to connect: grant connect on database ... to ...',
    '53300': 'Raise max_connections of PostgreSQL, or lower PARLEY_DATABASE_POOL or the number of processes.',
    '57P03': 'PostgreSQL is starting or stopping: wait, then check again.',
    ENOTFOUND: `There is no such host: correct its name in ${setting}, or the DNS.`,
    ENOENT: `There is no such socket: start PostgreSQL, or correct its folder (unix_socket_directories) and port in ${setting}.`,
    ECONNREFUSED: `Nothing listens there: start PostgreSQL, or correct host and port in ${setting}.`,
  }
  const next =
    advice[codeOf(error)] ??
    (/certificate|SSL|TLS/i.test(reasonOf(error)) ? tlsAdvice : undefined) ??
    `Check that PostgreSQL is running, that ${setting} has its host and port, and that no firewall blocks the connection.`
  report.fail('postgres.reach', `cannot connect to ${destination}: ${reasonOf(error)}`, next)
}

/** Checks the certificate as the driver does. The driver uses TLS even if the URL only names a certificate file. */
async function checkCertificate({ host, port, tls }: Destination, report: Report): Promise<void> {
  if (tls === undefined) return
  const { rejectUnauthorized = true, ...trust } = tls
  if (rejectUnauthorized)
    return await reportServerCertificate(report, 'postgres.certificate', {
      host,
      port,
      trust,
      authorities: trust.ca && 'the file that sslrootcert names',
      prelude: requestPostgresTls,
    })
  report.warn(
    'postgres.certificate',
    `any certificate of ${host}:${port} is accepted`,
    'Set sslmode=verify-full in the URL, and name its authority with sslrootcert=... if it is not a public one.',
  )
}

async function checkCertificateFiles(url: string, report: Report): Promise<void> {
  const parameters = URL.parse(url)?.searchParams
  const files = { sslrootcert: 'authorities', sslcert: 'own' } as const
  for (const [name, kind] of Object.entries(files)) {
    const file = parameters?.get(name)
    if (file) await reportCertificateFile(report, 'postgres.certificate', file, kind)
  }
}

async function checkServer(pool: Pool, report: Report): Promise<void> {
  const { rows } = await pool.query<{
    version: string
    standby: boolean
    readonly: string
    role: string
    super: boolean
  }>(
    `select current_setting('server_version') as version, pg_is_in_recovery() as standby,
       current_setting('default_transaction_read_only') as readonly, current_user as role,
       (select rolsuper from pg_roles where rolname = current_user) as super`,
  )
  const [server] = rows
  if (!server) return
  reportVersion(report, 'postgres.version', 'PostgreSQL', server.version.split(' ')[0] ?? '')
  if (server.standby || server.readonly === 'on')
    report.fail(
      'postgres.writable',
      server.standby ? 'this server is a standby, which accepts no changes' : 'transactions of this role are read-only',
      server.standby
        ? 'Set the URL of the primary server instead, or promote this one.'
        : 'Reset default_transaction_read_only for the role and the database.',
    )
  else report.ok('postgres.writable', 'the server accepts changes')
  if (server.super)
    report.warn(
      'postgres.role',
      `the role ${server.role} is a superuser`,
      'Give each service a role of its own that owns its database and nothing else.',
    )
  else report.ok('postgres.role', `the role ${server.role} is not a superuser`)
}

async function checkRights(pool: Pool, report: Report): Promise<void> {
  const { rows } = await pool.query<{ role: string; schema: boolean; tables: string[] | null }>(
    `select current_user as role, has_schema_privilege(oid, 'usage') as schema,
       (select array_agg(relname::text order by relname) from pg_class
        where relnamespace = n.oid and case relkind
          when 'r' then not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
                             and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))
          when 'S' then not has_sequence_privilege(oid, 'usage')
          else false end) as tables
     from pg_namespace n where nspname = 'public'`,
  )
  const [rights] = rows
  if (!rights) return report.fail('postgres.rights', 'there is no schema public', 'Create it: create schema public.')
  const { role } = rights
  if (!rights.schema) {
    const next = `As the owner of the database: grant usage on schema public to "${role}".`
    return report.fail('postgres.rights', `the role ${role} may not use the schema public`, next)
  }
  const denied = rights.tables ?? []
  if (denied.length === 0) return report.ok('postgres.rights', `the role ${role} may read and change every table`)
  const examples = denied.slice(0, 3).join(', ') + (denied.length > 3 ? ` and ${denied.length - 3} more` : '')
  report.fail(
    'postgres.rights',
    `the role ${role} may not read and change ${examples}`,
    `As the owner: grant select, insert, update, delete on all tables in schema public to "${role}"; grant usage on all sequences in schema public to "${role}".`,
  )
}

async function checkMigrations(
  pool: Pool,
  report: Report,
  { deployable, folder }: { deployable: string; folder: string },
): Promise<void> {
  try {
    const { pending, applied, isNewer } = await migrationState(pool, folder)
    if (pending.length > 0)
      report.fail(
        'postgres.migrations',
        `${pending.length} of ${applied + pending.length} migrations are pending, the first is ${pending[0]}`,
        `Run services/${deployable}/dist/migrate.js (make run and the chart do) before processes of this release start.`,
      )
    else if (isNewer)
      report.warn(
        'postgres.migrations',
        'the database has migrations of a newer release than this program',
        'Run the newer release; going back by more than one release requires a backup.',
      )
    else report.ok('postgres.migrations', `all ${applied} migrations are applied`)
  } catch (error) {
    const next = 'Let the role read the table of migrations: grant usage on schema drizzle and select on its tables.'
    report.warn('postgres.migrations', `the list of migrations cannot be read: ${reasonOf(error)}`, next)
  }
}

/**
 * Does not use pg_stat_activity, which hides most columns of other roles' connections from an ordinary role. Since
 * PostgreSQL 16 further connections can be reserved.
 */
async function checkConnections(pool: Pool, report: Report): Promise<void> {
  const { rows } = await pool.query<{ used: number; most: number }>(
    `select (select sum(numbackends)::int from pg_stat_database) as used,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true)::int, 0) as most`,
  )
  const { used = 0, most = 1 } = rows[0] ?? {}
  const found = `${used} of ${most} connections of PostgreSQL are in use`
  if (used < most * maxUsedFraction) report.ok('postgres.connections', found)
  else
    report.warn(
      'postgres.connections',
      found,
      'Raise max_connections, lower PARLEY_DATABASE_POOL, or put a pooler in front before more processes start.',
    )
}

async function checkClock(pool: Pool, report: Report): Promise<void> {
  const requestedMs = Date.now()
  const { rows } = await pool.query<{ ms: number }>('select extract(epoch from clock_timestamp())::float8 * 1000 as ms')
  const reading = { serverMs: Number(rows[0]?.ms ?? requestedMs), requestedMs, answeredMs: Date.now() }
  reportClock(report, 'postgres.clock', 'PostgreSQL', reading)
}

/** A pooler in front of the server may lose prepared statements. */
async function checkPooler(database: Database, report: Report): Promise<void> {
  try {
    await database.ping()
    report.ok('postgres.statements', 'prepared statements work')
  } catch (error) {
    const next = 'Set max_prepared_statements = 200 in PgBouncer 1.21 or newer, or connect directly.'
    report.fail('postgres.statements', reasonOf(error), next)
  }
}
