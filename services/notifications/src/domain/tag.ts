export type NotificationKind = 'direct_message' | 'mention' | 'reply' | 'room_message'

/** Whether a push for the notification may wake a sleeping phone. */
export const isPersonal = (kind: NotificationKind): boolean => kind === 'direct_message' || kind === 'mention'

const prefixes: Record<NotificationKind, string> = {
  direct_message: 'dm-',
  mention: 'mention-',
  reply: 'reply-',
  room_message: 'room-message-',
}

/** A device shows one notification per tag: a new one replaces the former, and a dismissal closes it. */
export const tagOf = (kind: NotificationKind, eventId: string): string => `${prefixes[kind]}${eventId}`
