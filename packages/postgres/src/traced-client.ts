import { isTraced, withSpan } from '@parley/telemetry'
import type pg from 'pg'

type Done = (error: Error | undefined, result: unknown) => void
type Query = (statement: unknown, values?: unknown, done?: unknown) => unknown

/**
 * Creates the class of connections that record statements as spans of their trace. A span has the kind of the statement
 * and its table, never its text or values. Statements outside a recorded trace only cost checking a flag.
 */
export function tracedClient(Client: typeof pg.Client): typeof pg.Client {
  return class TracedClient extends Client {
    constructor(config?: pg.ClientConfig) {
      super(config)
      const query: Query = this.query.bind(this)
      this.query = ((statement, values, done) => {
        const text = isTraced() ? textOf(statement) : undefined
        if (text === undefined) return query(statement, values, done)
        const span = spanOf(text, nameOf(statement), this.database)
        const callback = typeof values === 'function' ? values : done
        if (callback === undefined)
          return withSpan(span.name, span.options, () => query(statement, values) as Promise<unknown>)
        const parameters = typeof values === 'function' ? undefined : values
        void withSpan(span.name, span.options, () =>
          runWithCallback(query, { statement, parameters, done: callback as Done }),
        ).catch(() => undefined)
        return undefined
      }) as pg.Client['query']
    }
  }
}

function runWithCallback(
  query: Query,
  { statement, parameters, done }: { statement: unknown; parameters: unknown; done: Done },
): Promise<void> {
  return new Promise((resolve, reject) => {
    query(statement, parameters, (error: Error | undefined, result: unknown) => {
      done(error, result)
      if (error) reject(error)
      else resolve()
    })
  })
}

/** Undefined for cursors and copies, which take more than one round trip. */
function textOf(statement: unknown): string | undefined {
  if (typeof statement === 'string') return statement
  const { text, submit } = statement as { text?: unknown; submit?: unknown }
  return typeof text === 'string' && submit === undefined ? text : undefined
}

function nameOf(statement: unknown): string | undefined {
  return typeof statement === 'string' ? undefined : (statement as { name?: string }).name
}

function spanOf(text: string, statementName: string | undefined, database: string | undefined) {
  const operation = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? ''
  const table = firstTable.exec(text.slice(0, maxScanned))?.[1]
  const name = statementName ?? (table === undefined ? operation : `${operation} ${table}`)
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.summary': name,
    ...(database !== undefined && { 'db.namespace': database }),
    ...(table !== undefined && { 'db.collection.name': table }),
  }
  return { name, options: { kind: 'client', attributes } as const }
}

const maxScanned = 2_000
/** The first table that a statement names, but not `for update skip locked`. */
const firstTable = /\b(?:from|join|into|(?<!\bfor (?:no key )?)update)\s+(?!set\b)(?:only\s+)?"?([a-z_]\w*)"?/i
