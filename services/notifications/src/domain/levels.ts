import { NotificationLevel } from '@parley/contracts/api'

const { DEFAULT, MUTED, NORMAL, ALL_MESSAGES } = NotificationLevel

/** A level as stored. */
export type StoredLevel = 'muted' | 'normal' | 'all_messages'

const levels: Record<StoredLevel, NotificationLevel> = { muted: MUTED, normal: NORMAL, all_messages: ALL_MESSAGES }
const stored = new Map<NotificationLevel, StoredLevel>([
  [MUTED, 'muted'],
  [NORMAL, 'normal'],
  [ALL_MESSAGES, 'all_messages'],
])

/** Default if no level is stored. */
export const levelOf = (level: StoredLevel | undefined): NotificationLevel => (level ? levels[level] : DEFAULT)

/** The level to store; undefined for DEFAULT, which has no row. */
export const storedLevel = (level: NotificationLevel): StoredLevel | undefined => stored.get(level)

/** The effective level: that of the room, else of the server, else NORMAL. Pass the levels in this order. */
export function effectiveLevel(...stored: NotificationLevel[]): NotificationLevel {
  return stored.find((level) => level !== DEFAULT) ?? NORMAL
}
