import { NotificationLevel } from '@parley/contracts/api'

const { DEFAULT, MUTED, NORMAL, ALL_MESSAGES } = NotificationLevel

/** A level as it is stored. */
export type StoredLevel = 'muted' | 'normal' | 'all_messages'

const levels: Record<StoredLevel, NotificationLevel> = { muted: MUTED, normal: NORMAL, all_messages: ALL_MESSAGES }
const stored = new Map<NotificationLevel, StoredLevel>([
  [MUTED, 'muted'],
  [NORMAL, 'normal'],
  [ALL_MESSAGES, 'all_messages'],
])

/** DEFAULT when none is stored. */
export const levelOf = (level: StoredLevel | undefined): NotificationLevel => (level ? levels[level] : DEFAULT)

/** Undefined for DEFAULT, of which no row is kept. */
export const storedLevel = (level: NotificationLevel): StoredLevel | undefined => stored.get(level)

/** What applies: the level of the room, else that of the server, else NORMAL. Levels go from the room outwards. */
export function effectiveLevel(...stored: NotificationLevel[]): NotificationLevel {
  return stored.find((level) => level !== DEFAULT) ?? NORMAL
}
