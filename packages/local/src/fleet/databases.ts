import pg from 'pg'
import { databaseName } from './service-env.ts'

/** Each role owns the database of its service, and cannot connect to the other databases. */
export async function createDatabases(adminUrl: string, services: string[], secret: (name: string) => string) {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    for (const service of services) await createDatabase(client, databaseName(service), secret(`database.${service}`))
  } finally {
    await client.end()
  }
}

async function createDatabase(client: pg.Client, name: string, password: string) {
  const quoted = pg.escapeIdentifier(name)
  const role = await client.query('select 1 from pg_roles where rolname = $1', [name])
  if (role.rowCount === 0) await client.query(`create role ${quoted} login`)
  await client.query(`alter role ${quoted} password ${pg.escapeLiteral(password)}`)
  const database = await client.query('select 1 from pg_database where datname = $1', [name])
  if (database.rowCount === 0) await client.query(`create database ${quoted} owner ${quoted}`)
  await client.query(`revoke connect, temporary on database ${quoted} from public`)
}
