import type { Msg } from 'nats'
import type { Bus } from '@parley/rpc'
import { periodically, Resources } from '@parley/runtime'
import { logger } from '@parley/telemetry'
import { reasonOf } from '../consume/failures.ts'
import { reportStream, type StreamUsage } from '../metrics.ts'
import { jetStream } from '../stream/api.ts'
import { eventStream, keeperSubject } from '../subjects.ts'
import { declareStreams, type StreamOptions } from '../stream/declare.ts'
import { answers } from './answers.ts'
import type { Reply, Verb } from './requests.ts'
import { Refusal } from './checks.ts'
import { recoveriesInMemory, type Recoveries } from './recoveries.ts'
import { Restorer } from './restorer.ts'

const log = logger('keeper')
const declareEveryMs = 10_000
const retryMs = 500
const maxAtOnce = 64
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Creates the stream, creates durables and readers on request, restores durables after a loss, and removes events of
 * deleted accounts. Only the keeper has administrative rights for JetStream. The subject of a request identifies the
 * caller; the bus lets each deployable use only its own. Several processes may share the work if they record recoveries
 * in one database. Resolves when requests are accepted; the bus need not be available.
 */
export async function keepStream(
  bus: Bus,
  { recoveries = recoveriesInMemory(), ...options }: StreamOptions & { recoveries?: Recoveries } = {},
): Promise<AsyncDisposable> {
  const resources = new Resources()
  const restorer = new Restorer(bus, recoveries)
  const running = new Map<string, number>()
  const serve = async (message: Msg): Promise<void> => {
    const [, requester = '', verb = ''] = message.subject.split('.')
    const count = running.get(requester) ?? 0
    if (count >= maxAtOnce) return answer(message, { refusal: 'too many requests at once' })
    running.set(requester, count + 1)
    try {
      answer(message, { answer: await answerTo({ bus, restorer, recoveries, requester }, verb, message.data) })
    } catch (error) {
      const refusal = error instanceof Refusal ? error.message : 'the request failed; try again'
      log.warn({ requester, verb, reason: reasonOf(error) }, 'a request to the keeper of the stream failed')
      answer(message, { refusal })
    } finally {
      running.set(requester, (running.get(requester) ?? 1) - 1)
    }
  }
  const subscription = bus.nc.subscribe(keeperSubject('*', '*'), {
    queue: 'keeper',
    callback: (error, message) => {
      if (error === null) void serve(message)
    },
  })
  resources.defer('keeper subscription', () => subscription.unsubscribe())
  let state: StreamUsage = { bytes: 0, maxBytes: 0, messages: 0, maxMessages: 0, copies: options.replicas ?? 0 }
  const copiesWanted = () => options.replicas ?? state.copies
  for (const gauge of reportStream(() => state, copiesWanted)) resources.use(gauge)
  const declaring = periodically({
    name: 'declare the stream',
    everyMs: declareEveryMs,
    afterFailureMs: retryMs,
    run: async () => {
      if (!bus.connected()) return
      await declareStreams(bus, options)
      const before = state.copies
      state = await stateOfStream(bus)
      if (options.replicas !== undefined && state.copies !== before) logCopies(state.copies, options.replicas)
    },
  })
  resources.use(declaring)
  declaring.wake()
  await bus.nc.flush().catch(() => undefined)
  return resources
}

async function stateOfStream(bus: Bus): Promise<StreamUsage> {
  const { manager } = await jetStream(bus)
  const { config, state } = await manager.streams.info(eventStream)
  return {
    bytes: state.bytes,
    maxBytes: config.max_bytes,
    messages: state.messages,
    maxMessages: config.max_msgs,
    copies: config.num_replicas,
  }
}

function logCopies(copies: number, wanted: number): void {
  if (copies >= wanted) return log.info({ copies }, 'the stream of events has all its copies')
  const todo = 'connect as many NATS servers with JetStream to one cluster, or set PARLEY_NATS_STREAM_REPLICAS lower'
  log.error({ copies, wanted }, `NATS has too few servers for the copies of the stream of events: ${todo}`)
}

async function answerTo(context: Parameters<(typeof answers)[Verb]>[0], verb: string, data: Uint8Array) {
  if (!Object.hasOwn(answers, verb)) throw new Refusal('unknown request')
  let request: unknown
  try {
    request = JSON.parse(decoder.decode(data))
  } catch {
    throw new Refusal('the request is not valid JSON')
  }
  if (typeof request !== 'object' || request === null) throw new Refusal('the request is not a JSON object')
  return await answers[verb as Verb](context, request as Record<string, unknown>)
}

function answer(message: Msg, reply: Reply): void {
  message.respond(encoder.encode(JSON.stringify(reply)))
}
