import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pool } from 'pg'

export type MigrationState = {
  /** Names of the migrations to apply, in their order. */
  pending: string[]
  applied: number
  /** The newest applied migration is not in the directory: the database belongs to a newer release. */
  isNewer: boolean
}

type Journal = { entries: { when: number; tag: string }[] }

const undefinedTable = new Set(['42P01', '3F000'])

/** Compares the directory with the applied migrations, as the migrator does. Rejects if the database cannot be read. */
export async function migrationState(pool: Pool, folder: string): Promise<MigrationState> {
  const { entries } = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as Journal
  const { applied, newest } = await appliedTo(pool)
  const pending = entries.filter(({ when }) => when > newest).map(({ tag }) => tag)
  return { pending, applied, isNewer: newest > Math.max(0, ...entries.map(({ when }) => when)) }
}

async function appliedTo(pool: Pool): Promise<{ applied: number; newest: number }> {
  const text = 'select count(*)::int as applied, max(created_at)::text as newest from drizzle.__drizzle_migrations'
  try {
    const { rows } = await pool.query<{ applied: number; newest: string | null }>(text)
    return { applied: rows[0]?.applied ?? 0, newest: Number(rows[0]?.newest ?? 0) }
  } catch (error) {
    if (error instanceof Error && 'code' in error && undefinedTable.has(String(error.code)))
      return { applied: 0, newest: 0 }
    throw error
  }
}
