import { readFileSync } from 'node:fs'
import { dataDirAt } from '@parley/local'
import { Client } from 'pg'
import { fleet } from './fleet.ts'

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string | number>

export async function databaseOf(service: string): Promise<Client & AsyncDisposable> {
  const { secretsFile, portsFile } = dataDirAt(fleet().dataDir)
  const name = `parley_${service}`
  const password = read(secretsFile)[`database.${service}`]
  const client = new Client(`postgres://${name}:${password}@127.0.0.1:${read(portsFile).postgres}/${name}`)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

const deadlock = '40P01'
const codeOf = (error: unknown) => (error as { code?: string }).code

export type Snapshot = {
  /** Restores every table except the inbox. */
  restore(): Promise<void>
}

/**
 * Copies the tables of a service except the inbox: a service that loses its inbox handles the whole stream again, and
 * the next test would have to wait for that.
 */
export async function takeSnapshot(service: string): Promise<Snapshot & AsyncDisposable> {
  const database = await databaseOf(service)
  const { rows } = await database.query<{ name: string; columns: string }>(
    `select quote_ident(t.table_name) as name, string_agg(quote_ident(c.column_name), ', ') as columns
     from information_schema.tables t join information_schema.columns c using (table_schema, table_name)
     join pg_class on oid = (quote_ident(t.table_schema) || '.' || quote_ident(t.table_name))::regclass
     where t.table_schema = 'public' and t.table_type = 'BASE TABLE' and not relispartition and c.is_generated = 'NEVER'
       and t.table_name <> 'inbox' group by 1`,
  )
  await database.query('drop schema if exists snapshot cascade; create schema snapshot')
  for (const { name } of rows) await database.query(`create table snapshot.${name} as table public.${name}`)
  const restoreOnce = async (): Promise<void> => {
    await database.query('begin')
    await database.query(`truncate ${rows.map(({ name }) => `public.${name}`).join(', ')}`)
    for (const waiting = [...rows]; waiting.length > 0;) {
      const table = waiting.shift()
      if (!table) break
      await database.query('savepoint one')
      try {
        await database.query(
          `insert into public.${table.name} (${table.columns}) overriding system value
           select ${table.columns} from snapshot.${table.name}`,
        )
      } catch (error) {
        // The table references one that is not restored yet.
        if (codeOf(error) !== '23503') throw error
        await database.query('rollback to one')
        waiting.push(table)
      }
    }
    await database.query('commit')
  }
  return {
    async restore() {
      for (;;) {
        try {
          return await restoreOnce()
        } catch (error) {
          await database.query('rollback')
          if (codeOf(error) !== deadlock) throw error
        }
      }
    },
    async [Symbol.asyncDispose]() {
      await database.query('drop schema snapshot cascade')
      await database.end()
    },
  }
}
