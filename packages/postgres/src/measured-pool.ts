import { bindToTrace } from '@parley/telemetry'
import pg from 'pg'
import { PoolMetrics } from './metrics.ts'

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: pg.PoolClient['release'],
) => void

export class MeasuredPool extends pg.Pool {
  readonly #metrics: PoolMetrics
  readonly #takenAt = new WeakMap<pg.PoolClient, number>()

  constructor(name: string, config: pg.PoolConfig) {
    super(config)
    this.#metrics = new PoolMetrics(name, {
      idle: () => this.idleCount,
      used: () => this.totalCount - this.idleCount,
      waiting: () => this.waitingCount,
      limit: config.max ?? 0,
    })
    this.on('acquire', (client) => this.#takenAt.set(client, performance.now()))
    this.on('release', (error: Error | undefined, client) => {
      const takenAt = this.#takenAt.get(client)
      if (takenAt !== undefined) this.#metrics.recordUse(performance.now() - takenAt, Boolean(error))
    })
  }

  override connect(): Promise<pg.PoolClient>
  override connect(done: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    // pool.query() also takes its connection here. The callback may be called by the task that returns a connection, so
    // it would run in that task's trace.
    const done = callback && bindToTrace(callback)
    if (this.idleCount > this.waitingCount) return done ? super.connect(done) : super.connect()
    const since = performance.now()
    if (done)
      return super.connect((error, client, release) => {
        this.#recordWait(since, error)
        done(error, client, release)
      })
    return super.connect().then(
      (client) => {
        this.#recordWait(since)
        return client
      },
      (error: unknown) => {
        this.#recordWait(since, error)
        throw error
      },
    )
  }

  /** Stops reporting. Call it when the pool ends. */
  stopReporting(): void {
    this.#metrics[Symbol.dispose]()
  }

  #recordWait(since: number, error?: unknown): void {
    if (error) this.#metrics.countTimeout()
    else this.#metrics.recordWait(performance.now() - since)
  }
}
