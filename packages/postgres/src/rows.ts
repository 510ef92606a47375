import type { SQL } from 'drizzle-orm'
import type { Reader } from './db.ts'
import { converterFor } from './values.ts'

/**
 * Runs a hand-written statement and returns its rows: columns have the names in the statement, and int8 is returned as
 * bigint, timestamptz as Date, bytea as Buffer. `T` is the type of a row.
 */
export async function sqlRows<T>(reader: Reader, statement: SQL): Promise<T[]> {
  const result = await reader.execute(statement)
  const rows: Record<string, unknown>[] = result.rows
  for (const field of result.fields) {
    const convert = converterFor(field.dataTypeID)
    if (convert === undefined) continue
    for (const row of rows) row[field.name] = convert(row[field.name])
  }
  return rows as T[]
}
