import { randomUUID } from 'node:crypto'
import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { logger } from '@parley/telemetry'
import { requestKeeper, type KeeperRequests } from '../keep/requests.ts'
import { eventsLost } from '../metrics.ts'
import { streamMaxAgeMs } from '../stream/declare.ts'
import { covers } from '../subjects.ts'
import { deleteEntries, hasRelayed, readRelayed, type RelayedEntry } from './store.ts'

const log = logger('relay')
/** Minimum age of deleted entries: the stream may acknowledge an event before it is on disk. */
const keepMs = 3_600_000
const readAtOnce = 5000

type Passed = KeeperRequests['passed']['answer']

type Options = Pick<Database, 'pool'> & {
  bus: Bus
  service: string
  /** Shards held by this process whose places were just verified on the stream. */
  verified(): Promise<number[]>
}

/**
 * Deletes entries that no recovery of the stream will need: relayed an hour ago, and acknowledged by every durable that
 * consumes them. An entry that left the stream unacknowledged is useless too: it is counted as lost and reported to the
 * keeper.
 */
export class Cleanup {
  readonly #options: Options
  /** Lost entries not yet reported to the keeper. */
  #lost = 0
  /** The report in progress. The keeper may already have it if only its answer was lost. */
  #report: { report: string; lost: number } | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** Checks the relayed entries once. */
  async run(signal: AbortSignal): Promise<void> {
    const { pool, verified } = this.#options
    const before = new Date(Date.now() - keepMs)
    // A server without traffic makes no requests.
    if (!(await hasRelayed(pool, before))) return
    const passed = await this.#passed()
    // Afterwards, because a stream that was lost before the request has no durables that could be behind.
    const shards = await verified()
    for (let after: RelayedEntry | undefined; ;) {
      signal.throwIfAborted()
      const entries = await readRelayed(pool, { shards, before, after, limit: readAtOnce })
      const { done, lost } = sort(entries, passed)
      await deleteEntries(pool, done)
      this.#note(await deleteEntries(pool, lost))
      if (entries.length < readAtOnce) return
      after = entries.at(-1)
    }
  }

  /** Without a keeper, nothing counts as acknowledged or expired until everything has expired by age. */
  async #passed(): Promise<Passed | undefined> {
    const { bus, service } = this.#options
    try {
      if (this.#report === undefined && this.#lost > 0) {
        this.#report = { report: randomUUID(), lost: this.#lost }
        this.#lost = 0
      }
      const passed = await requestKeeper(bus, 'passed', this.#report ?? { lost: 0 }, service)
      this.#report = undefined
      return passed
    } catch {
      return undefined
    }
  }

  #note(count: number): void {
    if (count === 0) return
    this.#lost += count
    const { service } = this.#options
    eventsLost(service, count)
    log.error({ service, events: count }, 'events left the stream before every consumer had handled them')
  }
}

/** Ids of the entries that every durable has passed, and of those that left the stream before. */
function sort(entries: readonly RelayedEntry[], passed: Passed | undefined): { done: bigint[]; lost: bigint[] } {
  const done: bigint[] = []
  const lost: bigint[] = []
  const expired = Date.now() - streamMaxAgeMs
  for (const { id, subject, seq, relayedAt } of entries) {
    const isExpired = relayedAt.getTime() < expired
    if (passed === undefined ? isExpired : isPassed(passed, subject, seq)) done.push(id)
    else if (passed !== undefined && (isExpired || seq < passed.firstSeq)) lost.push(id)
  }
  return { done, lost }
}

const isPassed = ({ places }: Passed, subject: string, seq: number): boolean =>
  places.every((place) => place.seq >= seq || !covers(place.subject, subject))
