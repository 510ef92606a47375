import { counter, gauge, type Labels } from '@parley/telemetry'

const relayed = counter('events_relayed', { description: 'Outbox entries the stream has stored' })
const skipped = counter('events_skipped', { description: 'Outbox entries the stream refused for good' })
const losses = counter('events_stream_losses', { description: 'Shards or followers that found the stream cut or gone' })
const lost = counter('events_lost', {
  description: 'Events that left outbox and stream before every consumer had handled them',
})
const refusals = counter('events_publish_failed', { description: 'Tries at which the stream did not take events' })
const fenced = counter('events_relay_fenced', { description: 'Shards lost to another holder while relaying' })
const handled = counter('events_handled', { description: 'Events handled by consumers' })
const failed = counter('events_failed', { description: 'Tries at which a consumer failed on an event' })
const redelivered = counter('events_redelivered', { description: 'Bus messages that consumers got again' })
const parked = counter('events_parked', { description: 'Events given up by consumers' })
const replayed = counter('events_replayed', { description: 'Parked events that an operator had handled once more' })
const erased = counter('erasures_passed', { description: 'Passes over what a service keeps of deleted accounts' })
const erasing = counter('erasures_failed', { description: 'Failed attempts to erase, which will be retried' })
const undecodable = counter('events_undecodable', { description: 'Bus messages on the stream that are no events' })
const handedOver = counter('handovers_answered', { description: 'Events about rooms that messaging has taken' })
const handOverFailures = counter('handovers_failed', { description: 'Failed hand-over calls, which will be retried' })
const handOverRefusals = counter('handovers_parked', {
  description: 'Events about rooms that messaging refused for good',
})

/** Reports how many events a consumer has parked for an operator, until the result is disposed. */
export const parkedWaiting = (labels: Labels, read: () => number): Disposable =>
  gauge('events_parked_waiting', { description: 'Events and jobs that were given up and wait', labels }, read)
/** Entries reached the stream. */
export const entriesRelayed = (count: number): void => relayed(count)
/** An entry was refused for good and replaced. */
export const entrySkipped = (): void => skipped()
/** A place on the stream is gone. */
export const streamLost = (): void => losses()
/** Events are out of reach for a consumer that never handled them. */
export const eventsLost = (service: string, count: number): void => lost(count, { service })
/** The stream did not take a message; it is sent again. */
export const publishFailed = (service: string): void => refusals(1, { service })
/** Another holder took a shard. */
export const shardFenced = (): void => fenced()
/** A consumer handled an event, or several at once. */
export const eventHandled = (consumer: string, count = 1): void => handled(count, { consumer })
/** A consumer failed on an event and will try again. */
export const eventFailed = (consumer: string): void => failed(1, { consumer })
/** A consumer got a message again. */
export const messageRedelivered = (consumer: string): void => redelivered(1, { consumer })
/** A consumer gave an event up. */
export const eventParked = (consumer: string): void => parked(1, { consumer })
/** A parked event was handled once more. */
export const eventReplayed = (consumer: string): void => replayed(1, { consumer })
/** Bytes that are no EventBatch lay on the stream. */
export const messageUndecodable = (): void => undecodable()
/** A service went over what it keeps of a deleted account. */
export const erasurePassed = (service: string): void => erased(1, { service })
/** A service could not erase or report. */
export const erasureFailed = (service: string): void => erasing(1, { service })
/** Messaging took events of a room. */
export const eventsHandedOver = (service: string, count: number): void => handedOver(count, { service })
/** Messaging did not take events of a room. */
export const handOverFailed = (service: string): void => handOverFailures(1, { service })
/** Messaging refused an event of a room for good. */
export const handOverParked = (service: string): void => handOverRefusals(1, { service })
