import type { Msg } from 'nats'
import type { Bus } from '@parley/rpc'
import { periodically, Resources } from '@parley/runtime'
import { gauge, logger } from '@parley/telemetry'
import { reasonOf } from '../consume/failures.ts'
import { jetStream } from '../stream/api.ts'
import { eventStream, keeperSubject } from '../subjects.ts'
import { declareStreams, type StreamOptions } from '../stream/declare.ts'
import { answers } from './answers.ts'
import type { Reply, Verb } from './requests.ts'
import { Refusal } from './checks.ts'
import { recoveriesHere, type Recoveries } from './recoveries.ts'
import { Restorer } from './restorer.ts'

const log = logger('keeper')
const declareEveryMs = 10_000
const tryAgainMs = 500
/** Asks of one deployable that are worked on at once; more are refused. */
const maxAtOnce = 64
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Keeps the stream for all services: creates it, creates durables and readers on request, restores durables after a
 * loss, and removes events of deleted accounts. Only the keeper has administrative rights for JetStream. The subject
 * identifies the caller; the bus lets each deployable use only its own. Several processes share the work and record
 * recoveries in one place. Resolves when requests are accepted; the bus need not be available.
 */
export async function keepStream(
  bus: Bus,
  { recoveries = recoveriesHere(), ...options }: StreamOptions & { recoveries?: Recoveries } = {},
): Promise<AsyncDisposable> {
  const kept = new Resources()
  const restorer = new Restorer(bus, recoveries)
  const atWork = new Map<string, number>()
  const serve = async (message: Msg): Promise<void> => {
    const [, requester = '', verb = ''] = message.subject.split('.')
    const running = atWork.get(requester) ?? 0
    if (running >= maxAtOnce) return answer(message, { refusal: 'too much is asked at once' })
    atWork.set(requester, running + 1)
    try {
      answer(message, { answer: await answerTo({ bus, restorer, recoveries, requester }, verb, message.data) })
    } catch (error) {
      const refusal = error instanceof Refusal ? error.message : 'it failed, ask again'
      log.warn({ requester, verb, reason: reasonOf(error) }, 'a request to the keeper of the stream failed')
      answer(message, { refusal })
    } finally {
      atWork.set(requester, (atWork.get(requester) ?? 1) - 1)
    }
  }
  const subscription = bus.nc.subscribe(keeperSubject('*', '*'), {
    queue: 'keeper',
    callback: (error, message) => {
      if (error === null) void serve(message)
    },
  })
  kept.defer('asks about the stream', () => subscription.unsubscribe())
  let size = { bytes: 0, maxBytes: 0, copies: options.replicas ?? 0 }
  const held = { description: 'Bytes of the stream of events', unit: 'By' }
  kept.use(gauge('events_stream_bytes', held, () => size.bytes))
  const most = { description: 'Bytes above which the stream drops its oldest events', unit: 'By' }
  kept.use(gauge('events_stream_max_bytes', most, () => size.maxBytes))
  const copies = { description: 'Copies of the stream of events in the cluster of NATS servers' }
  kept.use(gauge('events_stream_replicas', copies, () => size.copies))
  const asked = {
    description:
      'Copies of the stream that PARLEY_NATS_STREAM_REPLICAS requests; the current number of copies if it is not set',
  }
  kept.use(gauge('events_stream_replicas_wanted', asked, () => options.replicas ?? size.copies))
  const declaring = periodically({
    name: 'declare the stream',
    everyMs: declareEveryMs,
    afterFailureMs: tryAgainMs,
    run: async () => {
      if (!bus.connected()) return
      await declareStreams(bus, options)
      const before = size.copies
      size = await sizeOfStream(bus)
      if (options.replicas !== undefined && size.copies !== before) logCopies(size.copies, options.replicas)
    },
  })
  kept.use(declaring)
  declaring.wake()
  await bus.nc.flush().catch(() => undefined)
  return kept
}

async function sizeOfStream(bus: Bus): Promise<{ bytes: number; maxBytes: number; copies: number }> {
  const { manager } = await jetStream(bus)
  const { config, state } = await manager.streams.info(eventStream)
  return { bytes: state.bytes, maxBytes: config.max_bytes, copies: config.num_replicas }
}

function logCopies(copies: number, wanted: number): void {
  if (copies >= wanted) return log.info({ copies }, 'the stream of events has all its copies')
  const todo = 'connect as many NATS servers with JetStream to one cluster, or set PARLEY_NATS_STREAM_REPLICAS lower'
  log.error({ copies, wanted }, `NATS has too few servers for the copies of the stream of events: ${todo}`)
}

async function answerTo(asked: Parameters<(typeof answers)[Verb]>[0], verb: string, data: Uint8Array) {
  if (!Object.hasOwn(answers, verb)) throw new Refusal('unknown request')
  let ask: unknown
  try {
    ask = JSON.parse(decoder.decode(data))
  } catch {
    throw new Refusal('what is asked is no JSON')
  }
  if (typeof ask !== 'object' || ask === null) throw new Refusal('what is asked is no object')
  return await answers[verb as Verb](asked, ask as Record<string, unknown>)
}

function answer(message: Msg, reply: Reply): void {
  message.respond(encoder.encode(JSON.stringify(reply)))
}
