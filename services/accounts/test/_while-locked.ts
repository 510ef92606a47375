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
  const other = new pg.Client({ connectionString: env.database.url })
  await other.connect()
  try {
    await other.query('begin')
    await other.query(`select 1 from ${table} where id = $1 for update`, [id])
    const waiting = calls().map(codeOf)
    await eventually(async () => {
      const locked = await env.db.execute(
        sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      )
      expect(locked.rowCount).toBe(waiting.length)
    })
    await meanwhile()
    await other.query('commit')
    return await Promise.all(waiting)
  } finally {
    await other.end()
  }
}

export const endSessionsOf = (env: Env, userId: string) =>
  env.db.execute(sql`update credentials set ended_at = now() where user_id = ${userId}`)
