import { eventStream } from '@parley/events'
import type { Bus } from '@parley/rpc'
import type { BusState } from '../domain/bus-state.ts'

const timeoutMs = 2000

export async function readBusState(bus: Bus): Promise<BusState> {
  const { nc } = bus
  const manager = await nc.jetstreamManager({ checkAPI: false, timeout: timeoutMs })
  const [rttMs, account, stream, consumers = []] = await Promise.all([
    orUndefined(roundTrip(bus)),
    orUndefined(manager.getAccountInfo()),
    orUndefined(manager.streams.info(eventStream)),
    orUndefined(collect(manager.consumers.list(eventStream))),
  ])
  const subjects = new Set(
    consumers.flatMap(({ config }) => (config.durable_name ? (config.filter_subject ?? []) : [])),
  )
  const newestSequences = await Promise.all(
    [...subjects].map(async (subject) => {
      const found = await orUndefined(manager.streams.getMessage(eventStream, { last_by_subj: subject }))
      return [subject, found?.seq ?? 0] as const
    }),
  )
  return {
    connected: bus.connected(),
    server: nc.info,
    rttMs,
    account,
    stream,
    consumers,
    newest: new Map(newestSequences),
  }
}

async function roundTrip({ nc }: Bus): Promise<number> {
  const sentAt = performance.now()
  const timedOut = AbortSignal.timeout(timeoutMs)
  await Promise.race([
    nc.flush(),
    new Promise((_, reject) => timedOut.addEventListener('abort', () => reject(timedOut.reason as Error))),
  ])
  return performance.now() - sentAt
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const orUndefined = <T>(answer: Promise<T>): Promise<T | undefined> => answer.catch(() => undefined)
