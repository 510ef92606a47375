import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { periodically, Resources, type Periodic } from '@parley/runtime'
import { logger } from '@parley/telemetry'
import { keeperStartsMs } from '../keep/asks.ts'
import { isUnanswered } from '../stream/api.ts'
import { durableName } from '../subjects.ts'
import type { BatchQueue } from './batch-queue.ts'
import { declareDurable, type Durable } from './durable.ts'
import { reasonOf } from './failures.ts'
import { isReachable, type EventPreparation, type Opened, type Outcome } from './handle-message.ts'
import { deleteOldNotes } from './inbox.ts'
import { replayParked, replaysRequested } from './replay.ts'
import { Puller } from './pull.ts'
import { watchConsumer } from './watch.ts'

const log = logger('consumer')
const pauseMs = 500

/** A durable consumer, whatever is done with its messages. */
export type Consumer = Pick<Database, 'db'> & {
  bus: Bus
  durable: Durable
  subject: string
  /** Most messages in hand of this process. */
  maxInFlight: number
  /** Keeps messages until they are handled. What is done with them runs in `guarded`, which never rejects. */
  queue: (guarded: (handle: () => Promise<Outcome>) => Promise<void>) => BatchQueue<Opened>
  /** How a parked event is handled once more. */
  prepare: EventPreparation
  /** Called before the durable is declared, which is before messages are pulled, and every minute. */
  check?: () => Promise<void>
}

/** Pulls the messages of a durable consumer until disposed; neither the bus nor the database need be there. */
export function runConsumer(consumer: Consumer): AsyncDisposable {
  const { db, bus, durable, subject, maxInFlight, prepare, check = () => Promise.resolve() } = consumer
  const name = durableName(durable.service, durable.durable)
  const stop = new AbortController()
  const resources = new Resources()
  let databaseAway = false
  const inFlight = consumer.queue(async (handle) => {
    try {
      if ((await handle()) === 'outage') databaseAway = true
    } catch (error) {
      // The connection is closed: what was not acknowledged comes again.
      log.warn({ consumer: name, reason: reasonOf(error) }, 'a message could not be answered')
    }
  })
  resources.defer('consumed messages', () => inFlight.below(1))

  const puller = resources.use(new Puller(bus, name, (message) => inFlight.add(message)))
  resources.use(bus.onDisconnect(() => puller.interrupt()))

  let known = false
  const pullOn = async (): Promise<void> => {
    try {
      await check()
      await declareDurable(bus, durable, subject)
      known = true
    } catch (error) {
      // It was there: what the keeper, away for now, cannot say is asked again later. A keeper that answers knows better:
      // a pull of what is not there would only be met with silence.
      if (!known || !isUnanswered(error)) throw error
    }
    while (!stop.signal.aborted && bus.connected()) {
      if (databaseAway) {
        if (!(await isReachable(db))) return
        databaseAway = false
      }
      await inFlight.below(maxInFlight / 2)
      // Nobody answers pulls of a durable that was deleted meanwhile.
      if ((await puller.round(maxInFlight - inFlight.size)) !== 'over') return
    }
  }
  const loop = async (): Promise<void> => {
    let said = false
    let failingSince: number | undefined
    while (!stop.signal.aborted) {
      try {
        if (bus.connected()) await pullOn()
        said = false
        failingSince = undefined
      } catch (error) {
        failingSince ??= performance.now()
        const isPatient = isUnanswered(error) && performance.now() - failingSince < keeperStartsMs
        if (!said && !isPatient) {
          log.warn({ consumer: name, reason: reasonOf(error) }, 'events cannot be consumed for now')
          said = true
        }
      }
      if (!stop.signal.aborted) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  const looping = loop()

  const job = (task: string, everyMs: number, run: (stopped: AbortSignal) => Promise<void>): Periodic =>
    resources.use(periodically({ name: `${name} ${task}`, everyMs, signal: stop.signal, run }))
  job('check', 60_000, async () => {
    if (!bus.connected() || databaseAway) return
    // Where NATS does not answer now, as while a fleet starts, it is asked again in a minute.
    await check().catch((error: unknown) => {
      if (!isUnanswered(error)) throw error
    })
  })
  const replays = job('replay', 600_000, async (stopped) => {
    if (databaseAway) return
    if ((await replayParked({ db, consumer: name, prepare }, stopped)) > 0) watch.wake()
  })
  const watch = resources.use(watchConsumer(db, { bus, durable, onReplay: () => replays.wake() }))
  resources.use(replaysRequested.listen(db, () => replays.wake()))
  job('inbox cleanup', 600_000, async () => {
    if (!databaseAway) await deleteOldNotes(db, name, stop.signal)
  })

  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      puller.interrupt()
      await looping
      await resources[Symbol.asyncDispose]()
    },
  }
}
