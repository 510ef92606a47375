import { isDatabaseUnavailable, isReachable, type Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { periodically, Resources, type Periodic } from '@parley/runtime'
import { logger } from '@parley/telemetry'
import { keeperStartsMs } from '../keep/requests.ts'
import { isUnavailable } from '../stream/api.ts'
import { durableName } from '../subjects.ts'
import type { BatchQueue } from './batch-queue.ts'
import { declareDurable, type Durable } from './durable.ts'
import { reasonOf } from './failures.ts'
import { type EventPreparation, type Opened, type Outcome } from './handle-message.ts'
import { deleteOldNotes } from './inbox.ts'
import { replayParked, replaysRequested } from './replay.ts'
import { Puller } from './pull.ts'
import { watchConsumer } from './watch.ts'

const log = logger('consumer')
const pauseMs = 500
/** How long a check counts before a message is handled, and without messages. */
const [checkedForMs, checkedAtRestForMs] = [60_000, 600_000]

/** A durable consumer, independent of how its messages are handled. */
export type Consumer = Pick<Database, 'db'> & {
  bus: Bus
  durable: Durable
  subject: string
  /** Maximum number of in-flight messages of this process. */
  maxInFlight: number
  /** Holds messages until they are handled. Handlers run in `guarded`, which never rejects. */
  queue: (guarded: (handle: () => Promise<Outcome>) => Promise<void>) => BatchQueue<Opened>
  /** Handles one parked event again. */
  prepare: EventPreparation
  /**
   * Called before the durable is declared, and before a message is handled unless it was called within a minute: the
   * message would hide that the database was restored. At rest, every ten minutes.
   */
  check?: () => Promise<void>
}

/** Pulls the messages of a durable consumer until disposed. Neither the bus nor the database needs to be available. */
export function runConsumer(consumer: Consumer): AsyncDisposable {
  return new RunningConsumer(consumer)
}

class RunningConsumer implements AsyncDisposable {
  readonly #consumer: Consumer
  readonly #name: string
  readonly #inFlight: BatchQueue<Opened>
  readonly #puller: Puller
  readonly #looping: Promise<void>
  readonly #stop = new AbortController()
  readonly #resources = new Resources()
  #databaseAway = false
  /** Whether the durable has existed. */
  #known = false
  /** When the last check succeeded, and when the last one began. */
  #checkedAt = -Infinity
  #attemptedAt = -Infinity
  #checking: Promise<void> | undefined

  constructor(consumer: Consumer) {
    const { db, bus, durable, queue } = consumer
    this.#consumer = consumer
    const name = (this.#name = durableName(durable.service, durable.durable))
    this.#inFlight = queue((handle) => this.#guard(handle))
    this.#resources.defer('consumed messages', () => this.#inFlight.below(1))
    this.#puller = this.#resources.use(new Puller(bus, name, (message) => this.#inFlight.add(message)))
    this.#resources.use(bus.onDisconnect(() => this.#puller.interrupt()))
    this.#looping = this.#loop()
    this.#job('check', 60_000, () => this.#checkAtRest())
    const replays = this.#job('replay', 600_000, async (stopped) => {
      if ((await replayParked({ db, consumer: name, prepare: consumer.prepare }, stopped)) > 0) watch.wake()
    })
    const watch = this.#resources.use(watchConsumer(db, { bus, durable, onReplay: () => replays.wake() }))
    this.#resources.use(replaysRequested.listen(db, () => replays.wake()))
    this.#job('inbox cleanup', 600_000, (stopped) => deleteOldNotes(db, name, stopped))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#puller.interrupt()
    await this.#looping
    await this.#resources[Symbol.asyncDispose]()
  }

  /** Repeats work periodically while the database is available. */
  #job(task: string, everyMs: number, work: (stopped: AbortSignal) => Promise<void> | void): Periodic {
    const { signal } = this.#stop
    const run = async (stopped: AbortSignal): Promise<void> => {
      if (!this.#databaseAway) await work(stopped)
    }
    return this.#resources.use(periodically({ name: `${this.#name} ${task}`, everyMs, signal, run }))
  }

  async #guard(handle: () => Promise<Outcome>): Promise<void> {
    try {
      if (this.#mustCheck()) await this.#checkFirst()
      if ((await handle()) === 'outage') this.#databaseAway = true
    } catch (error) {
      // The connection is closed: unacknowledged messages will be delivered again.
      log.warn({ consumer: this.#name, reason: reasonOf(error) }, 'a message could not be acknowledged')
    }
  }

  async #loop(): Promise<void> {
    let said = false
    let failingSince: number | undefined
    while (!this.#stop.signal.aborted) {
      try {
        if (this.#consumer.bus.connected()) await this.#pullOn()
        said = false
        failingSince = undefined
      } catch (error) {
        failingSince ??= performance.now()
        const isPatient = isUnavailable(error) && performance.now() - failingSince < keeperStartsMs
        if (!said && !isPatient) {
          log.warn({ consumer: this.#name, reason: reasonOf(error) }, 'events cannot be consumed; retrying')
          said = true
        }
      }
      if (!this.#stop.signal.aborted) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  /** Pulls until the bus or the database becomes unavailable. */
  async #pullOn(): Promise<void> {
    const { db, bus, maxInFlight } = this.#consumer
    await this.#declare()
    while (!this.#stop.signal.aborted && bus.connected()) {
      if (this.#databaseAway) {
        if (!(await isReachable(db))) return
        this.#databaseAway = false
        this.#attemptedAt = -Infinity
      }
      await this.#inFlight.below(maxInFlight / 2)
      // Pulls for a durable that was deleted in the meantime get no reply.
      if ((await this.#puller.round(maxInFlight - this.#inFlight.size)) !== 'over') return
    }
  }

  async #declare(): Promise<void> {
    const { bus, durable, subject } = this.#consumer
    try {
      await this.#check()
      await declareDurable(bus, durable, subject)
      this.#known = true
    } catch (error) {
      // The durable existed before, so an unavailable keeper can confirm it later. If the keeper does answer, its
      // answer is used, because pulls from a missing durable would get no reply.
      if (!this.#known || !isUnavailable(error)) throw error
    }
  }

  /** Also true while a check runs. If the keeper does not answer it, messages are handled, and it is asked again later. */
  #mustCheck(): boolean {
    if (this.#consumer.check === undefined || !this.#consumer.bus.connected()) return false
    const isOld = performance.now() - this.#attemptedAt >= checkedForMs
    return isOld || this.#databaseAway || this.#checking !== undefined
  }

  /**
   * Checks before a message is handled. Waits for the database, which may be another one when it is back; if the keeper
   * does not answer, the message is handled nevertheless.
   */
  async #checkFirst(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        return await this.#check()
      } catch (error) {
        if (!isDatabaseUnavailable(error)) return
      }
      this.#databaseAway = true
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  /** Also in a minute if NATS does not answer now, for example while a fleet starts. */
  async #checkAtRest(): Promise<void> {
    if (!this.#consumer.bus.connected() || performance.now() - this.#checkedAt < checkedAtRestForMs) return
    await this.#check().catch((error: unknown) => {
      if (!isUnavailable(error)) throw error
    })
  }

  /** Checks the durable, once at a time. */
  #check(): Promise<void> {
    const check = async (): Promise<void> => {
      this.#attemptedAt = performance.now()
      await this.#consumer.check?.()
      this.#checkedAt = performance.now()
    }
    return (this.#checking ??= check().finally(() => (this.#checking = undefined)))
  }
}
