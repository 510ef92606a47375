import type { Msg } from 'nats'
import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { periodically, Resources } from '@parley/runtime'
import { gauge, logger } from '@parley/telemetry'
import { declareDurable, durableLag } from './durable.ts'
import { handleMessage, isReachable, type EventHandler, type EventPreparation, type Handling } from './handling.ts'
import { reasonOf } from './failures.ts'
import { deleteOldNotes } from './inbox.ts'
import { Lanes } from './lanes.ts'
import { Puller } from './pull.ts'
import { durableName } from '../subjects.ts'

const log = logger('consumer')
const mostInHand = 64
const pauseMs = 500

/** What a service listens to. */
export type ConsumerOptions = Pick<Database, 'db'> & {
  /** The connection for events. */
  bus: Bus
  /** Deployable. */
  service: string
  /** Name of the consumer within the service; processes that use the same name share the work. */
  durable: string
  /** One filter over subjects, see `eventSubject`; the same for the whole life of the durable. */
  subject: string
  /** Kinds to handle. Default: all. */
  kinds?: readonly string[]
  /** Pauses before an event on which the handler failed comes again; doubling. Default: from 250 ms to a minute. */
  redelivery?: Handling['redelivery']
} & (
    | {
        /** Handles one event, in any order among aggregates and in no promised order within one. Runs once for each event id. */
        on: EventHandler
      }
    | {
        /** The same where a neighbour has to be asked first; the asking may happen more often. */
        prepare: EventPreparation
      }
  )

/**
 * Handles every event that was ever announced under the subject and is at most three days old, once for each event id,
 * whatever dies or is away meanwhile. An event on which the handler fails ten times is parked in `parked_events`; others
 * go on. Neither the bus nor the database need be there at start. Disposing finishes what is in hand.
 */
export function consumeEvents(options: ConsumerOptions): Promise<AsyncDisposable> {
  const { db, bus, subject } = options
  const consumer = durableName(options.service, options.durable)
  const handling: Handling = {
    db,
    consumer,
    prepare: 'prepare' in options ? options.prepare : async (event) => (tx) => options.on(event, tx),
    kinds: options.kinds && new Set(options.kinds),
    redelivery: options.redelivery ?? { firstMs: 250, mostMs: 60_000 },
  }
  const stop = new AbortController()
  const resources = new Resources()
  let databaseAway = false
  const lanes = new Lanes(async (message: Msg) => {
    try {
      if ((await handleMessage(handling, message)) === 'outage') databaseAway = true
    } catch (error) {
      // The connection is closed: what was not acknowledged comes again.
      log.warn({ consumer, reason: reasonOf(error) }, 'a message could not be answered')
    }
  })
  resources.defer('consumed messages', () => lanes.idle())

  const puller = resources.use(new Puller(bus, consumer, (message) => lanes.add(message)))
  resources.use(bus.onDisconnect(() => puller.interrupt()))

  const pullOn = async (): Promise<void> => {
    await declareDurable(bus, consumer, subject)
    while (!stop.signal.aborted && bus.connected()) {
      if (databaseAway) {
        if (!(await isReachable(db))) return
        databaseAway = false
      }
      await lanes.below(mostInHand / 2)
      if ((await puller.round(mostInHand - lanes.size)) === 'missing') return
    }
  }
  const loop = async (): Promise<void> => {
    let said = false
    while (!stop.signal.aborted) {
      try {
        if (bus.connected()) await pullOn()
        said = false
      } catch (error) {
        if (!said) log.warn({ consumer, reason: reasonOf(error) }, 'events cannot be consumed for now')
        said = true
      }
      if (!stop.signal.aborted) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  const looping = loop()

  let lag = 0
  const labels = { consumer }
  resources.use(gauge('events_consumer_lag', { description: 'Messages a consumer has not handled', labels }, () => lag))
  const job = (name: string, everyMs: number, run: () => Promise<void>): void => {
    resources.use(periodically({ name: `${consumer} ${name}`, everyMs, signal: stop.signal, run }))
  }
  job('lag', 15_000, async () => {
    if (bus.connected()) lag = await durableLag(bus, consumer).catch(() => lag)
  })
  job('inbox cleanup', 600_000, async () => {
    if (!databaseAway) await deleteOldNotes(db, consumer, stop.signal)
  })

  return Promise.resolve({
    async [Symbol.asyncDispose]() {
      stop.abort()
      puller.interrupt()
      await looping
      await resources[Symbol.asyncDispose]()
    },
  })
}
