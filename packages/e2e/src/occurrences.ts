import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { databaseOwners } from '@parley/contracts/deployables'
import { dataDirAt } from '@parley/local'
import { connect } from 'nats'
import { databaseOf } from './databases.ts'
import { fleet } from './fleet.ts'

/** For each text, the tables, subjects of the stream, and files that contain it. */
export type Occurrences = Map<string, string[]>

/** Ignores case. Searches every column of every table, every event, and every asset and log file of the fleet. */
export async function findOccurrences(texts: readonly string[]): Promise<Occurrences> {
  const occurrences: Occurrences = new Map(texts.map((text) => [text, []]))
  const report = (text: string, where: string) => occurrences.get(text)?.push(where)
  for (const service of databaseOwners) await searchDatabase(service, texts, report)
  await searchStream(texts, report)
  searchFiles(texts, report)
  return occurrences
}

type Report = (text: string, where: string) => unknown

async function searchDatabase(service: string, texts: readonly string[], report: Report): Promise<void> {
  await using client = await databaseOf(service)
  const { rows: tables } = await client.query<{ name: string; text: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name, string_agg(
       format(case t.typname when 'bytea' then 'encode(%I, ''escape'')' else '%I::text' end, a.attname), ', ') as text
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped join pg_type t on t.oid = a.atttypid
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_toast'
     group by 1`,
  )
  for (const { name, text } of tables) {
    const statement = `select distinct wanted
      from (select lower(concat_ws(' ', ${text})) as text from ${name} offset 0) as rows
      join unnest($1::text[]) as wanted on strpos(rows.text, lower(wanted)) > 0`
    const { rows } = await client.query<{ wanted: string }>(statement, [texts])
    for (const { wanted } of rows) report(wanted, `${service}: ${name}`)
  }
}

async function searchStream(texts: readonly string[], report: Report): Promise<void> {
  const { operatorFile, secretsFile } = dataDirAt(fleet().dataDir)
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  const nc = await connect({
    servers: read(operatorFile).natsUrl ?? '',
    ...{ user: 'admin-events', pass: read(secretsFile)['nats.admin'] ?? '', inboxPrefix: '_INBOX.admin' },
  })
  try {
    const { streams } = await nc.jetstreamManager({ checkAPI: false })
    const { state } = await streams.info('EVENTS')
    if (state.messages === 0) return
    const consumer = await nc.jetstream().consumers.get('EVENTS')
    for await (const { data, subject, info } of await consumer.consume()) {
      search(data, texts, (text) => report(text, `stream: ${subject}`))
      if (info.pending === 0) break
    }
  } finally {
    await nc.close()
  }
}

/** PostgreSQL and the stream are searched through their servers, not in their files. */
function searchFiles(texts: readonly string[], report: Report): void {
  const { assets, logs } = dataDirAt(fleet().dataDir)
  for (const folder of [assets, logs]) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name)
      if (entry.isFile()) search(contentOf(file), texts, (text) => report(text, `file: ${file}`))
    }
  }
}

function contentOf(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Uint8Array()
    throw error
  }
}

function search(bytes: Uint8Array, texts: readonly string[], report: (text: string) => void): void {
  const content = Buffer.from(bytes).toString('latin1').toLowerCase()
  for (const text of texts) if (content.includes(text.toLowerCase())) report(text)
}

export function storedFiles(): string[] {
  const entries = readdirSync(dataDirAt(fleet().dataDir).assets, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
}
