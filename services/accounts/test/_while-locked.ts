import { expect } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { codeOf, type Env } from './_env.ts'

/** Runs `meanwhile` while calls wait for a locked row; returns the error codes of the calls. */
export async function whileLocked(
  env: Env,
  table: 'users' | 'invites',
  id: string,
  { calls, meanwhile }: { calls: () => Promise<unknown>[]; meanwhile: () => Promise<unknown> },
) {
  await using other = await beginTransaction(env)
  await other.query(`select 1 from ${table} where id = $1 for update`, [id])
  const waiting = calls().map(codeOf)
  await untilWaiting(env, waiting.length)
  await meanwhile()
  await other.query('commit')
  return await Promise.all(waiting)
}

/** A transaction on a connection of its own; disposal rolls it back unless it was committed. */
export async function beginTransaction(env: Env) {
  const client = new pg.Client({ connectionString: env.database.url })
  await client.connect()
  await client.query('begin')
  return {
    query: (text: string, values: string[] = []) => client.query(text, values),
    [Symbol.asyncDispose]: () => client.end(),
  }
}

/** Resolves when this many statements wait for a lock. */
export const untilWaiting = (env: Env, statements: number) =>
  eventually(async () => {
    const locked = await env.db.execute(
      sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    expect(locked.rowCount).toBe(statements)
  })

export const endSessionsOf = (env: Env, userId: string) =>
  env.db.execute(sql`update credentials set ended_at = now() where user_id = ${userId}`)
