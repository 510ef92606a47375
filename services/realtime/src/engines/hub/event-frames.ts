import type { Delivery, Event } from '@parley/contracts/internal'
import { eventFrame, frameWithoutPosition } from './frame.ts'
import { deletionProperty, type ReplayFrame } from './replay-buffer.ts'
import { topics } from './topics.ts'

export type EventFrame = ReplayFrame & {
  envelope: Uint8Array
  roomId?: string
  userIds?: readonly string[]
}

/**
 * Kinds of events that are throttled, each with the property that it changes. They go to everyone, and clients need
 * only the newest event per subject and property.
 */
export const propertyByThrottledKind: ReadonlyMap<string, string> = new Map([
  ['user_profile_updated', 'profile'],
  ['user_custom_status_set', 'custom status'],
  ['user_custom_status_cleared', 'custom status'],
  ['account_deleted', deletionProperty],
  ['server_updated', 'server'],
  ['room_groups_updated', 'layout'],
  ['policy_changed', 'permissions'],
])

export const eventFrames = (event: Event, position: string): EventFrame[] =>
  event.deliveries.flatMap((delivery) => frameFor(event, delivery, position) ?? [])

/**
 * The part that the replay buffer keeps. A throttled frame is kept without its position, because a replay may include it
 * even if it is older than the client's position. The envelope is left out, because it is a view of a larger message,
 * which would stay in memory.
 */
export const replayFrame = ({ envelope, bytes, topics, throttleKey }: EventFrame): ReplayFrame =>
  throttleKey ? { bytes: frameWithoutPosition(envelope), topics, throttleKey } : { bytes, topics }

function frameFor(event: Event, { envelope, audience }: Delivery, position: string): EventFrame | undefined {
  const bytes = eventFrame(envelope, position)
  switch (audience.case) {
    case 'roomId':
      return { envelope, bytes, topics: [topics.room(audience.value)], roomId: audience.value }
    case 'users': {
      const { userIds } = audience.value
      return { envelope, bytes, topics: userIds.map(topics.user), userIds }
    }
    case 'everyone': {
      const property = propertyByThrottledKind.get(event.kind)
      const throttleKey = property === undefined ? {} : { throttleKey: { subject: event.aggregateId, property } }
      return { envelope, bytes, topics: [topics.everyone], ...throttleKey }
    }
    case undefined:
      return undefined
  }
}
