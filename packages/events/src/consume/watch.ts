import { and, inArray, isNotNull, sql } from 'drizzle-orm'
import { isDatabaseUnavailable, type Db, type Reader } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { periodically, Resources, type Periodic } from '@parley/runtime'
import { requestKeeper } from '../keep/requests.ts'
import { gaugePending, gaugeParked } from '../metrics.ts'
import { parkedEvents } from '../schema.ts'
import { durableName } from '../subjects.ts'
import type { Durable } from './durable.ts'

const everyMs = 30_000

type Watched = {
  bus: Bus
  durable: Durable
  onReplay: () => void
}

/** Disposing stops watching the consumer. */
export type ConsumerWatch = AsyncDisposable & {
  wake(): void
}

type State = Watched & { name: string; lag: number; parked: number }

const watchers = new WeakMap<Db, ConsumerWatcher>()

/**
 * Measures each consumer's lag and its parked events, and finds replays requested through another process. One query
 * serves all consumers of a database.
 */
export function watchConsumer(db: Db, watched: Watched): ConsumerWatch {
  let watcher = watchers.get(db)
  if (watcher === undefined) watchers.set(db, (watcher = new ConsumerWatcher(db)))
  return watcher.add(watched)
}

class ConsumerWatcher {
  readonly #db: Db
  readonly #consumers = new Set<State>()
  #polling: Periodic | undefined

  constructor(db: Db) {
    this.#db = db
  }

  add(watched: Watched): ConsumerWatch {
    const { service, durable } = watched.durable
    const state = { ...watched, name: durableName(service, durable), lag: 0, parked: 0 }
    const resources = new Resources()
    resources.use(gaugePending(state.name, () => state.lag))
    resources.use(gaugeParked({ service, consumer: state.name }, () => state.parked))
    resources.defer('watch', () => this.#remove(state))
    this.#consumers.add(state)
    const polling = (this.#polling ??= periodically({
      ...{ name: 'watch of consumers', everyMs },
      run: () => Promise.all([this.#countParked(), this.#measureLag()]).then(() => undefined),
    }))
    return Object.assign(resources.move(), { wake: () => polling.wake() })
  }

  async #remove(state: State): Promise<void> {
    this.#consumers.delete(state)
    if (this.#consumers.size > 0) return
    const polling = this.#polling
    this.#polling = undefined
    await polling?.[Symbol.asyncDispose]()
  }

  async #countParked(): Promise<void> {
    const names = Array.from(this.#consumers, ({ name }) => name)
    // While the database is unavailable, the counts keep their last value.
    const found = await countParkedByConsumer(this.#db, names).catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error
    })
    if (found === undefined) return
    for (const state of this.#consumers) {
      const { parked = 0, replays = 0 } = found.get(state.name) ?? {}
      state.parked = parked
      if (replays > 0) state.onReplay()
    }
  }

  async #measureLag(): Promise<void> {
    const buses = new Map(Array.from(this.#consumers, ({ bus, durable }) => [durable.service, bus]))
    for (const [service, bus] of buses) {
      if (!bus.connected()) continue
      // Unknown lags keep their last value: the keeper may be unavailable, or the durable not created yet.
      const answer = await requestKeeper(bus, 'lags', {}, service).catch(() => undefined)
      for (const state of this.#consumers) state.lag = answer?.messages[state.name] ?? state.lag
    }
  }
}

async function countParkedByConsumer(
  db: Reader,
  names: string[],
): Promise<Map<string, { parked: number; replays: number }>> {
  const rows = await db
    .select({
      consumer: parkedEvents.consumer,
      parked: sql`count(*)`.mapWith(Number),
      replays: sql`count(${parkedEvents.replayRequestedAt})`.mapWith(Number),
    })
    .from(parkedEvents)
    .where(and(inArray(parkedEvents.consumer, names), isNotNull(parkedEvents.parkedAt)))
    .groupBy(parkedEvents.consumer)
  return new Map(rows.map(({ consumer, ...counts }) => [consumer, counts]))
}
