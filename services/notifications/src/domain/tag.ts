/** What a notification is about. */
export type PushKind = 'direct_message' | 'mention' | 'reply' | 'room_message'

/** What is meant for one person may wake a phone that sleeps. */
export const isForThem = (kind: PushKind): boolean => kind === 'direct_message' || kind === 'mention'

const prefixes: Record<PushKind, string> = {
  direct_message: 'dm-',
  mention: 'mention-',
  reply: 'reply-',
  room_message: 'room-message-',
}

/** The name of a notification on all devices: one that is shown replaces, and one that is dismissed takes away, its like. */
export const tagOf = (kind: PushKind, eventId: string): string => `${prefixes[kind]}${eventId}`
