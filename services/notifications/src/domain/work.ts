import type { NotificationKind } from './tag.ts'
import type { Message } from './message.ts'

/** A job notifies audiences that are too large or not known yet, and listed people who must be notified after them. */
export type Audience =
  | { of: 'members' }
  | { of: 'present_members' }
  | { of: 'role_holders'; roleIds: string[] }
  | { of: 'thread_followers' }
  | { of: 'all_messages' }
  | { of: 'listed'; kind: NotificationKind; userIds: string[] }

/**
 * Dismisses the notifications of a message and its echo, of an echo alone, or of a user in a room up to a place. With
 * `threadRootEventId`, only in that thread; if it is empty, only in the main timeline.
 */
export type Dismissal =
  | { of: 'message'; eventId: string }
  | { of: 'echo'; eventId: string }
  | { of: 'place'; userId: string; roomId: string; roomSeq: string; threadRootEventId?: string }

export type AudienceJob = {
  of: 'told'
  message: Omit<Message, 'roomSeq' | 'postedAt'> & { roomSeq: string; postedAt: string }
  audiences: Audience[]
}

/** Stored as JSON. */
export type Work = AudienceJob | Dismissal

export const toAudienceJob = (message: Message, audiences: Audience[]): AudienceJob => ({
  of: 'told',
  message: { ...message, roomSeq: String(message.roomSeq), postedAt: message.postedAt.toISOString() },
  audiences,
})

export const messageOf = ({ message }: AudienceJob): Message => ({
  ...message,
  roomSeq: BigInt(message.roomSeq),
  postedAt: new Date(message.postedAt),
})

const kinds = {
  ...({ members: 'mention', present_members: 'mention', role_holders: 'mention' } as const),
  ...({ thread_followers: 'reply', all_messages: 'room_message' } as const),
}

export const kindOf = (audience: Audience): NotificationKind =>
  audience.of === 'listed' ? audience.kind : kinds[audience.of]
