import type { Msg } from 'nats'
import { isDatabaseUnavailable, isReachable, type Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { periodically, Resources, type Periodic } from '@parley/runtime'
import { logger } from '@parley/telemetry'
import { keeperStartupMs } from '../keep/requests.ts'
import { isUnavailable } from '../stream/api.ts'
import { durableName } from '../subjects.ts'
import type { BatchQueue } from './batch-queue.ts'
import { declareDurable, type Durable } from './durable.ts'
import { reasonOf } from './failures.ts'
import { type EventPreparation, type DecodedMessage, type Outcome } from './handle-message.ts'
import { deleteOldEntries } from './inbox.ts'
import { replayParked, replaysRequested } from './replay.ts'
import { Puller } from './pull.ts'
import { watchConsumer } from './watch.ts'

const log = logger('consumer')
const retryMs = 500
/** Minimum milliseconds between two calls of `Consumer.check`: when messages are handled, and when idle. */
const [checkIntervalMs, idleCheckIntervalMs] = [60_000, 600_000]

export type Consumer = Pick<Database, 'db'> & {
  bus: Bus
  durable: Durable
  subject: string
  maxInFlight: number
  /** Pause after a request that brought fewer messages than it asked for. 0: messages are delivered as they arrive. */
  pullPauseMs: number
  /** Creates the queue of pulled messages. It must run handlers in `guarded`, which never rejects. */
  queue: (guarded: (handle: () => Promise<Outcome>) => Promise<void>) => BatchQueue<DecodedMessage>
  prepare: EventPreparation
  /**
   * Called before the durable is declared, every ten minutes when idle, and before a message is handled if the last
   * call was a minute ago or there was an outage: handling the message would hide that the database was restored.
   */
  check?: () => Promise<void>
}

export function runConsumer(consumer: Consumer): AsyncDisposable {
  return new RunningConsumer(consumer)
}

class RunningConsumer implements AsyncDisposable {
  readonly #consumer: Consumer
  readonly #name: string
  readonly #inFlight: BatchQueue<DecodedMessage>
  readonly #puller: Puller
  readonly #looping: Promise<void>
  readonly #stop = new AbortController()
  readonly #resources = new Resources()
  /** Whether the database or a called service was unavailable, and the database has not answered since. */
  #hadOutage = false
  #hasDeclared = false
  #checkedAt = -Infinity
  #attemptedAt = -Infinity
  #checking: Promise<void> | undefined

  constructor(consumer: Consumer) {
    const { db, bus, durable, queue, pullPauseMs: pauseMs } = consumer
    this.#consumer = consumer
    const name = (this.#name = durableName(durable.service, durable.durable))
    this.#inFlight = queue((handle) => this.#guard(handle))
    this.#resources.defer('consumed messages', () => this.#inFlight.waitUntilBelow(1))
    const onMessage = (message: Msg): void => this.#inFlight.add(message)
    this.#puller = this.#resources.use(new Puller(bus, name, { onMessage, pauseMs }))
    this.#resources.use(bus.onDisconnect(() => this.#puller.interrupt()))
    this.#looping = this.#loop()
    this.#job('check', 60_000, () => this.#checkWhenIdle())
    const replays = this.#job('replay', 600_000, async (stopped) => {
      if ((await replayParked({ db, consumer: name, prepare: consumer.prepare }, stopped)) > 0) watch.wake()
    })
    const watch = this.#resources.use(watchConsumer(db, { bus, durable, onReplay: () => replays.wake() }))
    this.#resources.use(replaysRequested.listen(db, () => replays.wake()))
    this.#job('inbox cleanup', 600_000, (stopped) => deleteOldEntries(db, name, stopped))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#puller.interrupt()
    await this.#looping
    await this.#resources[Symbol.asyncDispose]()
  }

  /** Skips runs during an outage. */
  #job(task: string, everyMs: number, work: (stopped: AbortSignal) => Promise<void> | void): Periodic {
    const { signal } = this.#stop
    const run = async (stopped: AbortSignal): Promise<void> => {
      if (!this.#hadOutage) await work(stopped)
    }
    return this.#resources.use(periodically({ name: `${this.#name} ${task}`, everyMs, signal, run }))
  }

  async #guard(handle: () => Promise<Outcome>): Promise<void> {
    try {
      if (this.#mustCheck()) await this.#checkBeforeHandling()
      if ((await handle()) === 'outage') this.#hadOutage = true
    } catch (error) {
      log.warn({ consumer: this.#name, reason: reasonOf(error) }, 'messages could not be handled or acknowledged')
    }
  }

  async #loop(): Promise<void> {
    let isLogged = false
    let failingSince: number | undefined
    while (!this.#stop.signal.aborted) {
      try {
        if (this.#consumer.bus.connected()) await this.#pullUntilOutage()
        isLogged = false
        failingSince = undefined
      } catch (error) {
        failingSince ??= performance.now()
        const mayBeStarting = isUnavailable(error) && performance.now() - failingSince < keeperStartupMs
        if (!isLogged && !mayBeStarting) {
          log.warn({ consumer: this.#name, reason: reasonOf(error) }, 'events cannot be consumed; retrying')
          isLogged = true
        }
      }
      if (!this.#stop.signal.aborted) await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }

  async #pullUntilOutage(): Promise<void> {
    const { db, bus, maxInFlight } = this.#consumer
    await this.#declare()
    while (!this.#stop.signal.aborted && bus.connected()) {
      if (this.#hadOutage) {
        if (!(await isReachable(db))) return
        this.#hadOutage = false
        this.#attemptedAt = -Infinity
      }
      await this.#inFlight.waitUntilBelow(maxInFlight / 2)
      // A pull for a durable that was deleted meanwhile gets no reply. The next round declares it again.
      if ((await this.#puller.pull(maxInFlight - this.#inFlight.size)) !== 'done') return
    }
  }

  async #declare(): Promise<void> {
    const { bus, durable, subject } = this.#consumer
    try {
      await this.#check()
      await declareDurable(bus, durable, subject)
      this.#hasDeclared = true
    } catch (error) {
      // A durable that was declared before can be pulled from while the keeper does not answer. A refusal is thrown,
      // because pulls from a missing durable would get no reply.
      if (!this.#hasDeclared || !isUnavailable(error)) throw error
    }
  }

  /**
   * A check is due a minute after the last one began, even if the keeper did not answer that one: otherwise every
   * message would wait for a check while the keeper is unavailable.
   */
  #mustCheck(): boolean {
    if (this.#consumer.check === undefined || !this.#consumer.bus.connected()) return false
    const isOld = performance.now() - this.#attemptedAt >= checkIntervalMs
    return isOld || this.#hadOutage || this.#checking !== undefined
  }

  /**
   * Waits for an unavailable database, which may come back as a restored one. If the keeper does not answer, the
   * message is handled nevertheless.
   */
  async #checkBeforeHandling(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        return await this.#check()
      } catch (error) {
        if (!isDatabaseUnavailable(error)) return
      }
      this.#hadOutage = true
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }

  async #checkWhenIdle(): Promise<void> {
    if (!this.#consumer.bus.connected() || performance.now() - this.#checkedAt < idleCheckIntervalMs) return
    await this.#check().catch((error: unknown) => {
      if (!isUnavailable(error)) throw error
    })
  }

  #check(): Promise<void> {
    const check = async (): Promise<void> => {
      this.#attemptedAt = performance.now()
      await this.#consumer.check?.()
      this.#checkedAt = performance.now()
    }
    return (this.#checking ??= check().finally(() => (this.#checking = undefined)))
  }
}
