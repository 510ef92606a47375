import pg from 'pg'
import { StatementNames } from './statement-names.ts'

type Statement = { text?: string; name?: string | undefined; values?: unknown[] }
type Query = (statement: unknown, values?: unknown, done?: unknown) => unknown

/**
 * Creates the class of the connections of one pool. They prepare statements that run repeatedly: PostgreSQL parses such
 * a statement once per connection, and plans it once if the plan does not depend on the parameters. Statements that
 * already have a name keep it.
 */
export function preparingClient(): typeof pg.Client {
  const names = new StatementNames()
  return class PreparingClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config)
      const query: Query = this.query.bind(this)
      this.query = ((statement, values, done) =>
        query(withName(names, statement, values), values, done)) as pg.Client['query']
    }
  }
}

function withName(names: StatementNames, query: unknown, values: unknown): unknown {
  const statement = typeof query === 'string' ? { text: query } : (query as Statement)
  const parameters = Array.isArray(values) ? values : statement.values
  if (statement.name !== undefined || statement.text === undefined || !parameters?.length) return query
  const name = names.of(statement.text)
  return name === undefined ? query : { ...statement, name }
}
