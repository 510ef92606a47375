import { counter, gauge, histogram } from '@parley/telemetry'

const count = gauge('db.client.connection.count', {
  description: 'Connections of a pool, idle or used',
  unit: '{connection}',
  labels: ['db.client.connection.pool.name', 'db.client.connection.state'],
})
const limit = gauge('db.client.connection.limit', {
  description: 'Maximum number of connections of a pool',
  unit: '{connection}',
  labels: ['db.client.connection.pool.name'],
})
const pending = gauge('db.client.connection.pending_requests', {
  description: 'Statements and transactions that wait for a connection now',
  unit: '{request}',
  labels: ['db.client.connection.pool.name'],
})
const waited = histogram('db.client.connection.wait_time', {
  description:
    'Time that statements and transactions waited for a connection; those that found an idle one are not counted',
  unit: 's',
  labels: ['db.client.connection.pool.name'],
})
const timeouts = counter('db.client.connection.timeouts', {
  description: 'Statements and transactions that got no connection, after a timeout or an error',
  unit: '{timeout}',
  labels: ['db.client.connection.pool.name'],
})
const used = histogram('db.client.connection.use_time', {
  description: 'Time that a statement or a transaction had a connection',
  unit: 's',
  labels: ['db.client.connection.pool.name', 'error.type'],
})

type PoolState = { idle: () => number; used: () => number; waiting: () => number; limit: number }

/** Dispose it with the pool. */
export class PoolMetrics implements Disposable {
  readonly #labels: { readonly 'db.client.connection.pool.name': string }
  readonly #failed: { readonly 'db.client.connection.pool.name': string; readonly 'error.type': string }
  readonly #gauges: readonly Disposable[]

  constructor(name: string, state: PoolState) {
    this.#labels = { 'db.client.connection.pool.name': name }
    this.#failed = { ...this.#labels, 'error.type': 'failed' }
    this.#gauges = [
      count(state.idle, { ...this.#labels, 'db.client.connection.state': 'idle' }),
      count(state.used, { ...this.#labels, 'db.client.connection.state': 'used' }),
      limit(() => state.limit, this.#labels),
      pending(state.waiting, this.#labels),
    ]
  }

  recordWait(milliseconds: number): void {
    waited(milliseconds / 1000, this.#labels)
  }

  countTimeout(): void {
    timeouts(1, this.#labels)
  }

  /** A connection was returned, or broke. */
  recordUse(milliseconds: number, isBroken: boolean): void {
    used(milliseconds / 1000, isBroken ? this.#failed : this.#labels)
  }

  [Symbol.dispose](): void {
    for (const each of this.#gauges) each[Symbol.dispose]()
  }
}
