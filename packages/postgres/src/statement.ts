import type pg from 'pg'

export type Connection = Pick<pg.Pool, 'query'>

/**
 * A hand-written statement, which each connection prepares once. `name` must be unique in the process. `Row` is not
 * checked.
 */
export function statement<Row extends pg.QueryResultRow>(
  name: string,
  text: string,
): { text: string; run: (on: Connection, values: readonly unknown[]) => Promise<Row[]> } {
  return { text, run: async (on, values) => (await on.query<Row>({ name, text, values: [...values] })).rows }
}
