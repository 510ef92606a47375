import type { Delivery, Event } from '@parley/contracts/internal'
import { eventFrame, hintFrame } from './frame.ts'
import type { ReplayFrame } from './replay-buffer.ts'
import { topics } from './topics.ts'

/** A frame of an event for one audience. */
export type EventFrame = ReplayFrame & {
  envelope: Uint8Array
  /** The room whose members receive it. */
  roomId?: string
  /** The people who receive it in person. */
  userIds?: readonly string[]
}

/** Kinds of which only the newest event counts, and the property of a person that each concerns. */
export const changesOfPerson: ReadonlyMap<string, string> = new Map([
  ['user_profile_updated', 'profile'],
  ['user_custom_status_set', 'custom status'],
  ['user_custom_status_cleared', 'custom status'],
])

/** The frames of an event at a position, one for each audience. */
export const eventFrames = (event: Event, position: string): EventFrame[] =>
  event.deliveries.flatMap((delivery) => frameFor(event, delivery, position) ?? [])

/**
 * The same for a socket that was away. What nodes delay has no position there, as when it is late. The envelope is left
 * out: it is part of a larger message, which would be kept with it.
 */
export const replayFrame = ({ envelope, bytes, topics, about }: EventFrame): ReplayFrame =>
  about ? { bytes: hintFrame(envelope), topics, about } : { bytes, topics }

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
      const property = changesOfPerson.get(event.kind)
      const about = property === undefined ? {} : { about: { userId: event.aggregateId, property } }
      return { envelope, bytes, topics: [topics.everyone], ...about }
    }
    case undefined:
      return undefined
  }
}
