import { randomUUID } from 'node:crypto'
import { isDatabaseUnavailable, type Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { periodically, Resources, type Periodic } from '@parley/runtime'
import { gauge, logger } from '@parley/telemetry'
import { parkedWaiting } from '../metrics.ts'
import { placeCheckMs } from '../stream/place.ts'
import { Cleanup } from './cleanup.ts'
import { entriesWritten } from './enqueue.ts'
import { RelayedShards } from './relayed-shards.ts'
import { singleFlight } from './single-flight.ts'
import { countParkedBeside, findWaiting, idsByShard, parkedBeside, readBacklog } from './store.ts'
import { waitUntilStored } from './stored.ts'
import { hearRelays, tellHolder } from './wake.ts'

const log = logger('relay')
/** Well below the life of a lease: a holder that pauses for a second does not lose it. */
const renewEveryMs = 1000
/** A relay that is alone lets its leases lapse when it has had nothing to do for so long, and renews them when it has. */
const usualRestAfterMs = 10_000
const restEveryMs = 30_000
/** The database does not answer. */
const tryAgainMs = 500
/** When nobody tells of an entry. */
const usualPollMs = 10_000
const cleanUpEveryMs = 300_000

/** What a relay works on. */
export type RelayOptions = Pick<Database, 'pool'> & {
  /** The connection for events. */
  bus: Bus
  /** Deployable; part of message ids and of the wake subject. */
  service: string
  /** How often is looked for entries that nobody told of, which a process that died had written. Default: 10 s. */
  pollMs?: number
  /** After how long without an event a relay that is alone leaves its leases alone, too. Default: 10 s. */
  restAfterMs?: number
}

/** Brings this service's events to the stream, together with the relays of its other processes. */
export type Relay = AsyncDisposable & {
  /**
   * Says, after commit, that entries wait that were not written with `enqueue`, which says so itself. Forgotten, they are
   * found at the next look.
   */
  wake(entryIds: readonly bigint[]): void
  /**
   * Resolves when the stream has these entries, whichever process relays them. Rejects with unavailable after 4 s; they
   * are relayed nevertheless, and a repeated call waits again.
   */
  stored(entryIds: readonly bigint[]): Promise<void>
  /**
   * Calls back when another process of the service is gone, three seconds after its death at the latest: what it left
   * undone is now for the others. Dispose the result to stop.
   */
  onPeerGone(listener: () => void): Disposable
}

/**
 * Starts relaying. Neither the database nor the bus need be there yet. Disposing finishes what is under way, for 2 s at
 * most, and hands the shards to the other processes.
 */
export function startRelay(options: RelayOptions): Promise<Relay> {
  const { pool, bus, service, pollMs = usualPollMs, restAfterMs = usualRestAfterMs } = options
  const holder = randomUUID()
  const look = (inMs?: number): void => polling.wake(inMs)
  const busy = (): void => renewing.wake(renewEveryMs)
  const peerGoneListeners = new Set<() => void>()
  const peerGone = (): void => peerGoneListeners.forEach((listener) => listener())
  const relayed = new RelayedShards({ pool, bus, service, holder, look, busy, peerGone })
  const resources = new Resources()
  const stop = new AbortController()
  const { flow, shards } = relayed
  let away = false
  const job = (
    name: string,
    everyMs: number,
    work: () => Promise<number | void>,
    afterFailureMs = everyMs,
  ): Periodic => {
    const run = async (): Promise<number | void> => {
      try {
        const againMs = await work()
        away = false
        return againMs
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error
        if (!away) log.warn({ service, err: error }, 'the outbox is not available')
        away = true
        return afterFailureMs
      }
    }
    return resources.use(
      periodically({ name: `${service} ${name}`, everyMs, signal: stop.signal, run, afterFailureMs }),
    )
  }

  const backlog = { entries: 0, seconds: 0 }
  const labels = { service }
  const waiting = { description: 'Outbox entries that wait for the stream', labels }
  resources.use(gauge('events_outbox_waiting', waiting, () => backlog.entries))
  const oldest = { description: 'Age of the oldest outbox entry that waits', unit: 's', labels }
  resources.use(gauge('events_outbox_lag', oldest, () => backlog.seconds))
  let parked = new Map<string, number>()
  for (const consumer of parkedBeside)
    resources.use(parkedWaiting({ service, consumer }, () => parked.get(consumer) ?? 0))

  resources.defer('relayed shards', () => relayed.close())
  resources.use(bus.onReconnect(() => relayed.doubt()))
  const renewing = job(
    'outbox leases',
    restEveryMs,
    async () => {
      const { leases } = relayed
      await leases.renew()
      if (!relayed.rests(restAfterMs)) return Math.min(renewEveryMs, leases.nextFreeMs)
    },
    tryAgainMs,
  )
  const polling = job(
    'outbox poll',
    pollMs,
    async () => {
      const againMs = await relayed.poll()
      await tellOthers()
      return againMs
    },
    Math.min(pollMs, tryAgainMs),
  )
  job('stream places', placeCheckMs, () => relayed.verifyAll())
  job('outbox backlog', 30_000, async () => {
    Object.assign(
      backlog,
      await readBacklog(
        pool,
        shards.all().map((shard) => shard.lease.shard),
      ),
    )
    parked = await countParkedBeside(pool)
  })
  const cleanup = new Cleanup({ pool, bus, service, verified: () => relayed.verified() })
  job('outbox cleanup', cleanUpEveryMs, () => cleanup.run(stop.signal))
  renewing.wake()
  resources.use(hearRelays(bus, service, () => renewing.wake()))

  /** Entries of which the holders of their shards may have to be told. */
  const untold = new Set<bigint>()
  const tellOthers = singleFlight(async () => {
    if (untold.size === 0 || !bus.connected()) return
    const ids = [...untold]
    for (const [shard, theirs] of idsByShard(await findWaiting(pool, ids))) {
      if (!shards.holds(shard)) tellHolder(bus, service, shard, theirs)
    }
    for (const id of ids) untold.delete(id)
  })
  const wake = async (entryIds: readonly bigint[]): Promise<void> => {
    try {
      await flow.kick()
      if (shards.holdsAll()) return
      for (const id of entryIds) if (!shards.knows(id)) untold.add(id)
      await tellOthers()
    } catch {
      for (const id of entryIds) untold.add(id)
      polling.wake(tryAgainMs)
    }
  }

  /** Written with `enqueue`, committed, and not told of otherwise in the same turn. */
  const committed = new Set<bigint>()
  const wakeCommitted = (): void => {
    if (committed.size === 0) return
    const ids = [...committed]
    committed.clear()
    void wake(ids)
  }
  resources.use(
    entriesWritten.listen(pool, (entryIds) => {
      if (committed.size === 0) setImmediate(wakeCommitted)
      for (const id of entryIds) committed.add(id)
    }),
  )
  const told = (entryIds: readonly bigint[]): void => entryIds.forEach((id) => committed.delete(id))

  return Promise.resolve({
    wake(entryIds) {
      told(entryIds)
      void wake(entryIds)
    },
    stored(entryIds) {
      told(entryIds)
      const holds = (shard: number): boolean => shards.holds(shard)
      const knowsStored = (id: bigint): boolean => shards.knowsStored(id)
      return waitUntilStored({ pool, bus, service, flow, holds, knowsStored }, entryIds)
    },
    onPeerGone(listener) {
      peerGoneListeners.add(listener)
      return { [Symbol.dispose]: () => void peerGoneListeners.delete(listener) }
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await resources[Symbol.asyncDispose]()
    },
  })
}
