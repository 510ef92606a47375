import type { Event, RoomEvent } from '@parley/contracts/internal'
import { isRecording, withSpan } from '@parley/telemetry'
import { decodeBatch } from './stream/decode.ts'
import { eventStream } from './subjects.ts'

/** The end of a sampled traceparent. Parley sets no other flags. */
const sampledSuffix = '-01'

const onStream = { 'messaging.system.name': 'nats', 'messaging.destination.name': eventStream } as const

/**
 * Runs `process` in a span that belongs to the trace of the first sampled event and links to the traces of the other
 * sampled events. Without a sampled event, there is no span.
 */
export function processSpan<T>(
  consumer: string,
  events: readonly Pick<Event, 'id' | 'kind' | 'traceparent'>[],
  process: () => Promise<T>,
): Promise<T> {
  const joined = isRecording() ? sampledTraceparents(events) : []
  const [first, ...others] = events
  if (first === undefined || joined.length === 0) return process()
  const attributes = {
    ...onStream,
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.consumer.group.name': consumer,
    ...(others.length > 0
      ? { 'messaging.batch.message_count': events.length }
      : { 'messaging.message.id': first.id, 'parley.event.kind': first.kind }),
  }
  return withSpan(`process ${consumer}`, { kind: 'consumer', joined, attributes }, process)
}

export function handOverSpan<T>(events: readonly Pick<RoomEvent, 'traceparent'>[], send: () => Promise<T>): Promise<T> {
  const joined = isRecording() ? sampledTraceparents(events) : []
  if (joined.length === 0) return send()
  return withSpan('hand over events', { joined, attributes: { 'parley.event.count': events.length } }, send)
}

export function publishSpan<T>(batch: Uint8Array, publish: () => Promise<T>): Promise<T> {
  // Decoding each batch would cost more than publishing it.
  if (!isRecording() || !Buffer.from(batch.buffer, batch.byteOffset, batch.byteLength).includes(sampledSuffix))
    return publish()
  const events = decodeBatch(batch)
  const joined = sampledTraceparents(events)
  if (joined.length === 0) return publish()
  const attributes = {
    ...onStream,
    'messaging.operation.name': 'publish',
    'messaging.operation.type': 'send',
    'messaging.batch.message_count': events.length,
    'parley.event.kind': events[0]?.kind,
  }
  return withSpan(`publish ${eventStream}`, { kind: 'producer', joined, attributes }, publish)
}

const sampledTraceparents = (events: readonly { traceparent: string }[]): string[] =>
  events.map(({ traceparent }) => traceparent).filter((one) => one.endsWith(sampledSuffix))
