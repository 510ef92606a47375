import pg from 'pg'
import { StatementNames } from './statement-names.ts'

type Statement = string | { text?: string; name?: string | undefined; values?: unknown[] }
type Query = (statement: unknown, values?: unknown, done?: unknown) => unknown

/**
 * A connection that prepares what it runs again and again: PostgreSQL parses such a statement once, and plans it once where the
 * plan does not depend on the parameters. Statements that have a name already keep it.
 */
export class PreparingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    const query: Query = this.query.bind(this)
    this.query = ((statement, values, done) => query(named(statement, values), values, done)) as pg.Client['query']
  }
}

const names = new StatementNames()

function named(given: unknown, values: unknown): unknown {
  const statement = typeof given === 'string' ? { text: given } : (given as Exclude<Statement, string>)
  const parameters = Array.isArray(values) ? values : statement.values
  if (statement.name !== undefined || statement.text === undefined || !parameters?.length) return given
  const name = names.of(statement.text)
  return name === undefined ? given : { ...statement, name }
}
