import { NotificationLevel } from '@parley/contracts/api'

const { DEFAULT, MUTED, NORMAL, ALL_MESSAGES } = NotificationLevel

export type StoredLevel = 'muted' | 'normal' | 'all_messages'

const levels: Record<StoredLevel, NotificationLevel> = { muted: MUTED, normal: NORMAL, all_messages: ALL_MESSAGES }
const stored = new Map<NotificationLevel, StoredLevel>([
  [MUTED, 'muted'],
  [NORMAL, 'normal'],
  [ALL_MESSAGES, 'all_messages'],
])

export const levelOf = (level: StoredLevel | undefined): NotificationLevel => (level ? levels[level] : DEFAULT)

export const storedLevel = (level: NotificationLevel): StoredLevel | undefined => stored.get(level)

/** The first level that is not DEFAULT, else NORMAL. Pass the level of the room, then of the server. */
export function effectiveLevel(...stored: NotificationLevel[]): NotificationLevel {
  return stored.find((level) => level !== DEFAULT) ?? NORMAL
}
