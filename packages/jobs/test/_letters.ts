import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { bigint, boolean, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { openDatabase, type Database } from '@parley/postgres'
import { JobQueue } from '../src/index.ts'

export const letters = pgTable('letters', {
  id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
  text: text().notNull(),
  bulk: boolean().notNull().default(false),
  sent: boolean().notNull().default(false),
  dueAt: timestamp('due', { withTimezone: true, mode: 'date' })
    .notNull()
    .default(sql`now()`),
  fence: integer().notNull().default(0),
  attempts: integer('tries').notNull().default(0),
  createdAt: timestamp('created_at', { withTimezone: true, mode: 'date' })
    .notNull()
    .default(sql`now()`),
})

export const queue = new JobQueue(letters, {
  ...{ key: ['id'], open: sql`not ${letters.sent}` },
  order: [letters.bulk, letters.id],
})

export async function newDatabase(): Promise<Database & { url: string }> {
  const url = new URL(process.env.PARLEY_TEST_POSTGRES_URL ?? '')
  const name = `jobs_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  url.pathname = name
  const database = await openDatabase({ url: url.href, pool: 10, name: 'test', connectTimeoutMs: 30_000 })
  await database.db.execute(sql`
    create table letters (
      id bigint primary key generated always as identity, text text not null,
      bulk boolean not null default false, sent boolean not null default false,
      due timestamptz not null default now(), fence int not null default 0, tries int not null default 0,
      created_at timestamptz not null default now())`)
  return Object.assign(database, { url: url.href })
}
