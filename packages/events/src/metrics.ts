import { counter, gauge, histogram } from '@parley/telemetry'

const relayed = counter('parley.outbox.relayed', {
  description: 'Outbox entries the stream has stored',
  unit: '{event}',
})
const skipped = counter('parley.outbox.skipped', {
  description: 'Outbox entries the stream refused for good',
  unit: '{event}',
})
const publishFailures = counter('parley.outbox.publish_failures', {
  description: 'Failed attempts to store events on the stream',
  unit: '{attempt}',
  labels: ['parley.service'],
})
const published = histogram('messaging.client.operation.duration', {
  description: 'Time of an attempt to store a message of events on the stream, successful or not',
  unit: 's',
  labels: ['messaging.operation.name', 'error.type'],
})
const fenced = counter('parley.outbox.fenced', {
  description: 'Shards lost to another holder while relaying',
  unit: '{shard}',
})
const waiting = gauge('parley.outbox.waiting', {
  description: 'Outbox entries that wait for the stream',
  unit: '{event}',
  labels: ['parley.service'],
})
const age = gauge('parley.outbox.age', {
  description: 'Age of the oldest outbox entry that waits for the stream',
  unit: 's',
  labels: ['parley.service'],
})
const cuts = counter('parley.stream.cuts', {
  description: 'Times that the relay of a shard or a reader of the stream found stored events missing from the stream',
  unit: '{cut}',
})
const lost = counter('parley.stream.lost', {
  description: 'Events that left outbox and stream before every consumer had handled them',
  unit: '{event}',
  labels: ['parley.service'],
})
const size = gauge('parley.stream.size', { description: 'Bytes of the stream of events', unit: 'By' })
const sizeLimit = gauge('parley.stream.size_limit', {
  description: 'Bytes above which the stream drops its oldest events',
  unit: 'By',
})
const messages = gauge('parley.stream.messages', { description: 'Messages of the stream of events', unit: '{message}' })
const messageLimit = gauge('parley.stream.message_limit', {
  description: 'Messages above which the stream drops its oldest; missing if it has no such limit',
  unit: '{message}',
})
const replicas = gauge('parley.stream.replicas', {
  description: 'Copies of the stream of events in the cluster of NATS servers',
  unit: '{replica}',
})
const replicasWanted = gauge('parley.stream.replicas_wanted', {
  description:
    'Copies of the stream that PARLEY_NATS_STREAM_REPLICAS requests; the current number of copies if it is not set',
  unit: '{replica}',
})
const handled = counter('parley.consumer.handled', {
  description: 'Events handled by consumers',
  unit: '{event}',
  labels: ['messaging.consumer.group.name'],
})
const processed = histogram('messaging.process.duration', {
  description: 'Time in which a consumer handled an event, or a batch of events in one transaction, or failed on it',
  unit: 's',
  labels: ['messaging.consumer.group.name', 'error.type'],
})
const failed = counter('parley.consumer.failures', {
  description: 'Failed attempts of a consumer to handle an event, not counting outages',
  unit: '{attempt}',
  labels: ['messaging.consumer.group.name'],
})
const redelivered = counter('parley.consumer.redeliveries', {
  description: 'Bus messages redelivered to consumers',
  unit: '{message}',
  labels: ['messaging.consumer.group.name'],
})
const undecodable = counter('parley.consumer.undecodable', {
  description: 'Bus messages on the stream that are not events',
  unit: '{message}',
})
const parked = counter('parley.consumer.parked', {
  description: 'Events given up by consumers',
  unit: '{event}',
  labels: ['messaging.consumer.group.name'],
})
const replayed = counter('parley.consumer.replayed', {
  description: 'Parked events that were handled again for an operator',
  unit: '{event}',
  labels: ['messaging.consumer.group.name'],
})
const pending = gauge('parley.consumer.pending', {
  description: 'Messages a consumer has not handled',
  unit: '{message}',
  labels: ['messaging.consumer.group.name'],
})
const parkedNow = gauge('parley.consumer.parked_waiting', {
  description: 'Events and jobs that were given up and wait for an operator',
  unit: '{event}',
  labels: ['parley.service', 'messaging.consumer.group.name'],
})
const erased = counter('parley.erasure.passes', {
  description: 'Passes over the data of deleted accounts in a service',
  unit: '{pass}',
  labels: ['parley.service'],
})
const erasureFailures = counter('parley.erasure.failures', {
  description: 'Failed attempts to erase, which will be retried',
  unit: '{attempt}',
  labels: ['parley.service'],
})
const handedOver = counter('parley.handover.events', {
  description: 'Events about rooms that messaging has accepted',
  unit: '{event}',
  labels: ['parley.service'],
})
const handOverFailures = counter('parley.handover.failures', {
  description: 'Failed hand-over calls, which will be retried',
  unit: '{call}',
  labels: ['parley.service'],
})
const handOversParked = counter('parley.handover.parked', {
  description: 'Events about rooms that messaging refused for good',
  unit: '{event}',
  labels: ['parley.service'],
})

const serviceLabel = (service: string) => ({ 'parley.service': service })
const consumerLabel = (consumer: string) => ({ 'messaging.consumer.group.name': consumer })
const publishing = { 'messaging.operation.name': 'publish' } as const

export const gaugeParked = (owner: { service: string; consumer: string }, read: () => number): Disposable =>
  parkedNow(read, { ...serviceLabel(owner.service), ...consumerLabel(owner.consumer) })
export const gaugePending = (consumer: string, read: () => number): Disposable => pending(read, consumerLabel(consumer))
export const gaugeOutboxSize = (service: string, read: () => number): Disposable => waiting(read, serviceLabel(service))
export const gaugeOutboxAge = (service: string, read: () => number): Disposable => age(read, serviceLabel(service))

export type StreamUsage = { bytes: number; maxBytes: number; messages: number; maxMessages: number; copies: number }

const limit = (max: number): number | undefined => (max > 0 ? max : undefined)

export const reportStream = (read: () => StreamUsage, copiesWanted: () => number): Disposable[] => [
  size(() => read().bytes),
  sizeLimit(() => limit(read().maxBytes)),
  messages(() => read().messages),
  messageLimit(() => limit(read().maxMessages)),
  replicas(() => read().copies),
  replicasWanted(copiesWanted),
]

export const countRelayed = (count: number): void => relayed(count)
export const recordPublish = (durationMs: number, failure?: 'refused' | 'unanswered' | 'failed'): void =>
  published(durationMs / 1000, failure ? { ...publishing, 'error.type': failure } : publishing)
export const countSkipped = (): void => skipped(1)
export const countStreamLoss = (): void => cuts(1)
export const countLostEvents = (service: string, count: number): void => lost(count, serviceLabel(service))
export const countPublishFailure = (service: string): void => publishFailures(1, serviceLabel(service))
export const countFencedShard = (): void => fenced(1)
export const recordHandling = (consumer: string, durationMs: number, count = 1): void => {
  handled(count, consumerLabel(consumer))
  processed(durationMs / 1000, consumerLabel(consumer))
}
export const recordFailedHandling = (consumer: string, durationMs: number, failure: 'outage' | 'failed'): void =>
  processed(durationMs / 1000, { ...consumerLabel(consumer), 'error.type': failure })
export const countFailure = (consumer: string): void => failed(1, consumerLabel(consumer))
export const countRedelivery = (consumer: string): void => redelivered(1, consumerLabel(consumer))
export const countParkedEvent = (consumer: string): void => parked(1, consumerLabel(consumer))
export const countReplay = (consumer: string): void => replayed(1, consumerLabel(consumer))
export const countUndecodable = (): void => undecodable(1)
export const countErasurePass = (service: string): void => erased(1, serviceLabel(service))
export const countErasureFailure = (service: string): void => erasureFailures(1, serviceLabel(service))
export const countHandedOver = (service: string, count: number): void => handedOver(count, serviceLabel(service))
export const countHandOverFailure = (service: string): void => handOverFailures(1, serviceLabel(service))
export const countParkedHandOver = (service: string): void => handOversParked(1, serviceLabel(service))
