import { randomUUID } from 'node:crypto'
import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { logger } from '@parley/telemetry'
import { requestKeeper, type KeeperRequests } from '../keep/requests.ts'
import { countLostEvents } from '../metrics.ts'
import { streamMaxAgeMs } from '../stream/declare.ts'
import { covers } from '../subjects.ts'
import { deleteEntries, hasRelayedBefore, readRelayed, type RelayedEntry } from './store.ts'

const log = logger('relay')
/** The stream acknowledges events before they are on disk, so entries are kept for an hour after they were relayed. */
const minAgeMs = 3_600_000
const readBatchSize = 5000

type Passed = KeeperRequests['passed']['answer']

type Options = Pick<Database, 'pool'> & {
  bus: Bus
  service: string
  verifiedShards(): Promise<number[]>
}

/**
 * Deletes entries that were relayed at least an hour ago and that every durable has acknowledged. An entry that left
 * the stream unacknowledged is deleted too, counted as lost and reported to the keeper.
 */
export class Cleanup {
  readonly #options: Options
  #unreportedLost = 0
  /** The report in progress. The keeper may already have it: perhaps only its answer was lost. */
  #report: { report: string; lost: number } | undefined

  constructor(options: Options) {
    this.#options = options
  }

  async run(signal: AbortSignal): Promise<void> {
    const { pool, verifiedShards } = this.#options
    const before = new Date(Date.now() - minAgeMs)
    if (!(await hasRelayedBefore(pool, before))) return
    const passed = await this.#fetchProgress()
    // Verified after the answer: if the stream was lost before the answer, no shard is verified, and the answer is not
    // used.
    const shards = await verifiedShards()
    for (let after: RelayedEntry | undefined; ;) {
      signal.throwIfAborted()
      const entries = await readRelayed(pool, { shards, before, after, limit: readBatchSize })
      const { done, lost } = classify(entries, passed)
      await deleteEntries(pool, done)
      this.#countLost(await deleteEntries(pool, lost))
      if (entries.length < readBatchSize) return
      after = entries.at(-1)
    }
  }

  async #fetchProgress(): Promise<Passed | undefined> {
    const { bus, service } = this.#options
    try {
      if (this.#report === undefined && this.#unreportedLost > 0) {
        this.#report = { report: randomUUID(), lost: this.#unreportedLost }
        this.#unreportedLost = 0
      }
      const passed = await requestKeeper(bus, 'passed', this.#report ?? { lost: 0 }, service)
      this.#report = undefined
      return passed
    } catch {
      return undefined
    }
  }

  #countLost(count: number): void {
    if (count === 0) return
    this.#unreportedLost += count
    const { service } = this.#options
    countLostEvents(service, count)
    log.error({ service, events: count }, 'events left the stream before every consumer had handled them')
  }
}

/**
 * Returns the ids of entries that every durable has acknowledged, and of entries that left the stream unacknowledged.
 * Without the progress of the durables, an entry is done once the stream has dropped it by age.
 */
function classify(entries: readonly RelayedEntry[], passed: Passed | undefined): { done: bigint[]; lost: bigint[] } {
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
