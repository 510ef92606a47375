import { sql, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/** Condition: the column has one of these ids, which are passed as a single parameter. */
export const anyOf = (column: PgColumn, ids: readonly string[]): SQL => sql`${column} = any(${sql.param([...ids])})`
