import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Bus } from '@parley/rpc'
import { currentTraceparent, startTelemetry, stopTelemetry, withSpan } from '@parley/telemetry'
import pg from 'pg'

type CallCosts = {
  /**
   * Each statement sent to PostgreSQL: the name that the code gave it, or its first word and its tables. Statements of
   * the outbox's relay are left out.
   */
  statements: string[]
  /** Methods of other services that the called service requested. */
  requests: string[]
}

/** Counts the statements and requests of calls, until it is disposed. */
export type CostCounter = AsyncDisposable & {
  /** Background work of the service is not counted. */
  of: (call: () => Promise<unknown>) => Promise<CallCosts>
}

const traceOf = (traceparent: string | undefined): string => traceparent?.split('-')[1] ?? ''

/**
 * Starts counting. Call it before the service starts, so that spans are recorded from the beginning. Nothing else in
 * the process may record spans.
 */
export async function countCosts(bus: Bus): Promise<CostCounter> {
  const collector = await startCollector()
  const statements = watchStatements()
  /** Methods by `traceparent`. A retried request has the same one, so it is counted once. */
  const requests = new Map<string, string>()
  const tap = bus.nc.subscribe('rpc.>', {
    callback: (_error, message) => {
      const method = message.subject.replace(/^.*_v\d+_/, '')
      requests.set(message.headers?.get('traceparent') ?? '', method)
    },
  })
  await bus.nc.flush()
  return {
    of: async (call) => {
      let trace = ''
      await withSpan('counted call', {}, async () => {
        trace = traceOf(currentTraceparent())
        await call()
      })
      await bus.nc.flush()
      const [ownMethod, ...called] = [...requests]
        .filter(([parent]) => traceOf(parent) === trace)
        .map(([, method]) => method)
      return {
        statements: statements.of(trace),
        requests: called.filter((method) => method !== ownMethod),
      }
    },
    async [Symbol.asyncDispose]() {
      tap.unsubscribe()
      statements[Symbol.dispose]()
      await stopTelemetry()
      await collector[Symbol.asyncDispose]()
    },
  }
}

/** Spans are recorded only if there is an exporter. */
async function startCollector(): Promise<AsyncDisposable> {
  const collector = createServer((request, response) => request.resume().once('end', () => response.end()))
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const { port } = collector.address() as AddressInfo
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://127.0.0.1:${port}`
  await startTelemetry(process.env)
  return {
    async [Symbol.asyncDispose]() {
      delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT']
      collector.closeAllConnections()
      await new Promise((resolve) => collector.close(resolve))
    },
  }
}

type Statement = { name?: string; text?: string }

function watchStatements(): Disposable & { of: (trace: string) => string[] } {
  const sent: { trace: string; statement: string }[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const trace = traceOf(currentTraceparent())
    const statement = typeof args[0] === 'string' ? { text: args[0] } : (args[0] as Statement)
    if (trace !== '' && !isOfRelay(statement)) sent.push({ trace, statement: summarize(statement) })
    return Reflect.apply(query, this, args) as unknown
  } as typeof query
  return {
    of: (trace) => sent.filter((one) => one.trace === trace).map(({ statement }) => statement),
    [Symbol.dispose]: () => void (pg.Client.prototype.query = query),
  }
}

/** Reads of the outbox's relay count for no call: it wakes after a commit, and one read may serve several calls. */
const isOfRelay = ({ text }: Statement): boolean => text?.includes('pg_current_snapshot') ?? false

/** Words that precede a table name, but not `for update skip locked` and `on conflict do update set`. */
const tables = /\b(?:from|join|into|(?<!\bfor (?:no key )?)update) (?!set\b)"?([a-z_]\w*)/gi
const maxLength = 60

function summarize({ name = '', text = '' }: Statement): string {
  // Names of this form come from the pool, which names statements that run repeatedly.
  if (name !== '' && !/^parley_\d+$/.test(name)) return name
  const sql = text.trim().replace(/\s+/g, ' ')
  const touched = new Set([...sql.matchAll(tables)].map(([, table]) => table))
  if (touched.size > 0) return `${sql.slice(0, sql.indexOf(' '))}: ${[...touched].join(', ')}`
  return sql.replace(/'(?:[^']|'')*'/g, '?').slice(0, maxLength)
}
