import type { Client } from '@connectrpc/connect'
import type { AccountsInternalService, AdminInternalService, RoomEvent } from '@parley/contracts/internal'
import {
  consumeEvents,
  followPolicy,
  refuseErased,
  startErasures,
  startHandOver,
  startRelay,
  type ConsumerOptions,
  type ControlFeed,
  type ErasureOptions,
  type PolicyHolder,
  type Relay,
} from '@parley/events'
import { openDatabase, type Database, type DatabaseOptions } from '@parley/postgres'
import type { Pool } from 'pg'
import type { DatabaseConfig } from './config.ts'
import { forgetOldAnswers } from './idempotency/store.ts'
import { Host, type HostParts, type Serving } from './host.ts'

type Own = 'bus' | 'db' | 'service'

/** A host with a database, its outbox and its inbox. */
export class DatabaseHost extends Host {
  readonly #config: DatabaseConfig
  #database: Database | undefined

  constructor(parts: HostParts & { config: DatabaseConfig }) {
    super(parts)
    this.#config = parts.config
  }

  async openDatabase(options: Pick<DatabaseOptions, 'forceGenericPlans'> = {}): Promise<void> {
    const { databaseUrl: url, databasePool: pool } = this.#config
    const database = this.use(await openDatabase({ url, pool, name: this.name, ...options }))
    await this.retry(() => database.ping())
    this.#database = database
  }

  get db(): Database['db'] {
    return this.#open.db
  }

  get pool(): Pool {
    return this.#open.pool
  }

  /** Follows the policy of admin; resolves once it has been loaded. `feed`: a control feed to share. */
  async policy(admin: Client<typeof AdminInternalService>, feed?: ControlFeed): Promise<PolicyHolder> {
    const source = feed === undefined ? { bus: this.events } : { feed }
    const policy = this.use(await followPolicy({ ...source, signal: this.signal, load: () => admin.getPolicy({}) }))
    this.ready('policy')
    return policy
  }

  async relay(): Promise<Relay> {
    return this.use(await startRelay({ pool: this.pool, bus: this.events, service: this.name }))
  }

  async consume(options: WithoutOwn<ConsumerOptions>): Promise<void> {
    this.use(await consumeEvents({ ...options, ...this.#own }))
  }

  handOver(messaging: { applyRoomEvents: ApplyRoomEvents }): void {
    this.use(
      startHandOver({
        ...this.#own,
        apply: (roomId, events, signal) => messaging.applyRoomEvents({ roomId, events }, { signal }),
      }),
    )
  }

  /** Deletes the stored responses of `answerOnce` once they are a day old. */
  expireIdempotentAnswers(): void {
    this.every({ name: 'forget idempotent answers', everyMs: 600_000, run: (stop) => forgetOldAnswers(this.db, stop) })
  }

  /** Deletes the data of deleted accounts, and reports each pass to the service `accounts`. */
  async erase(erase: ErasureOptions['erase'], accounts: Client<typeof AccountsInternalService>): Promise<void> {
    const { name: service } = this
    const report: ErasureOptions['report'] = (found, signal) => accounts.reportErased({ ...found, service }, { signal })
    this.use(await startErasures({ ...this.#own, erase, report }))
  }

  /** Unless `serving` has another guard, refuses changes by users whose account is being erased. */
  override serve(serving: Serving): Promise<void> {
    return super.serve({ guard: refuseErased(this.db), ...serving })
  }

  get #own() {
    return { bus: this.events, db: this.db, service: this.name }
  }

  get #open(): Database {
    if (this.#database === undefined) throw new Error(`${this.name} has no database yet`)
    return this.#database
  }
}

type WithoutOwn<T> = T extends unknown ? Omit<T, Own> : never

type ApplyRoomEvents = (
  request: { roomId: string; events: RoomEvent[] },
  options: { signal: AbortSignal },
) => Promise<unknown>
