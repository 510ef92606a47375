import { randomUUID } from 'node:crypto'
import { isDatabaseUnavailable, type Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { periodically, Resources } from '@parley/runtime'
import { gauge, logger } from '@parley/telemetry'
import { redeclareStreams } from '../stream/declare.ts'
import { placeCheckMs } from '../stream/place.ts'
import { Holdings } from './holdings.ts'
import { deleteRelayed, findWaiting, idsByShard, readBacklog } from './store.ts'
import { waitUntilStored } from './stored.ts'
import { tellHolder } from './wake.ts'

const log = logger('relay')
const leaseTickMs = 500
const pollMs = 200
const keepRelayedMs = 2 * 3_600_000
const deleteAtOnce = 5000

/** What a relay works on. */
export type RelayOptions = Pick<Database, 'pool'> & {
  /** The connection for events. */
  bus: Bus
  /** Deployable; part of message ids and of the wake subject. */
  service: string
}

/** Brings this service's events to the stream, together with the relays of its other processes. */
export type Relay = AsyncDisposable & {
  /** Says, after commit, that entries wait; harmless to forget: they are found 200 ms later. */
  wake(entryIds: readonly bigint[]): void
  /**
   * Resolves when the stream has these entries, whichever process relays them. Rejects with unavailable after 4 s; they
   * are relayed nevertheless, and a repeated call waits again.
   */
  stored(entryIds: readonly bigint[]): Promise<void>
}

/**
 * Starts relaying. Neither the database nor the bus need be there yet. Disposing finishes what is under way, for 2 s at
 * most, and hands the shards to the other processes.
 */
export function startRelay(options: RelayOptions): Promise<Relay> {
  const { pool, bus, service } = options
  const holder = randomUUID()
  const holdings = new Holdings({ pool, bus, service, holder })
  const resources = new Resources()
  const stop = new AbortController()
  const { flow, shards } = holdings
  let away = false
  const job = (name: string, everyMs: number, work: () => Promise<void>): void => {
    const run = async (): Promise<void> => {
      try {
        await work()
        away = false
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error
        if (!away) log.warn({ service, err: error }, 'the outbox is not available')
        away = true
      }
    }
    resources.use(periodically({ name: `${service} ${name}`, everyMs, signal: stop.signal, run }))
  }

  const backlog = { entries: 0, seconds: 0 }
  const labels = { service }
  const waiting = { description: 'Outbox entries that wait for the stream', labels }
  resources.use(gauge('events_outbox_waiting', waiting, () => backlog.entries))
  const oldest = { description: 'Age of the oldest outbox entry that waits', unit: 's', labels }
  resources.use(gauge('events_outbox_lag', oldest, () => backlog.seconds))

  resources.defer('outbox holdings', () => holdings.close())
  resources.use(bus.onReconnect(() => holdings.doubt()))
  job('outbox leases', leaseTickMs, () => holdings.tenancy.renew())
  job('outbox poll', pollMs, () => holdings.poll())
  job('stream places', placeCheckMs, () => holdings.verifyAll())
  job('outbox backlog', 10_000, async () => {
    Object.assign(
      backlog,
      await readBacklog(
        pool,
        shards.all().map((shard) => shard.lease.shard),
      ),
    )
  })
  job('outbox cleanup', 60_000, async () => {
    const before = new Date(Date.now() - keepRelayedMs)
    while ((await deleteRelayed(pool, before, deleteAtOnce)) === deleteAtOnce) stop.signal.throwIfAborted()
  })
  // At once; the jobs try again what fails here, and say so.
  void holdings.tenancy.renew().catch(() => undefined)
  // A release may want the stream to be other than it is. If it is missing, the first event finds out.
  void redeclareStreams(bus).catch(() => undefined)

  const wakes = new Set<bigint>()
  let telling = false
  /** Entries of shards that other processes hold: their holders are told, many entries at a time. */
  const tellOthers = async (): Promise<void> => {
    try {
      while (wakes.size > 0) {
        const ids = [...wakes]
        wakes.clear()
        for (const [shard, theirs] of idsByShard(await findWaiting(pool, ids))) {
          if (!shards.holds(shard)) tellHolder(bus, service, shard, theirs)
        }
      }
    } catch {
      // Their holders find them by themselves.
    } finally {
      telling = false
    }
  }

  return Promise.resolve({
    wake(entryIds) {
      void flow.kick().then(
        () => {
          if (shards.holdsAll()) return
          for (const id of entryIds) if (!shards.knows(id)) wakes.add(id)
          if (telling) return
          telling = true
          void tellOthers()
        },
        () => undefined,
      )
    },
    stored(entryIds) {
      const holds = (shard: number): boolean => shards.holds(shard)
      const knowsStored = (id: bigint): boolean => shards.knowsStored(id)
      return waitUntilStored({ pool, bus, service, flow, holds, knowsStored }, entryIds)
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await resources[Symbol.asyncDispose]()
    },
  })
}
