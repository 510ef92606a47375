import { NotificationLevel } from '@parley/contracts/api'

/** What applies: the level of the room, else that of the server, else NORMAL. Levels go from the room outwards. */
export function effectiveLevel(...stored: NotificationLevel[]): NotificationLevel {
  return stored.find((level) => level !== NotificationLevel.DEFAULT) ?? NotificationLevel.NORMAL
}
