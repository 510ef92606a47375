type Room = { id: string; isMember: boolean; hasUnread: boolean }

/**
 * Orders rooms by how soon the viewer will want them: unread ones, those in `recent` in its order, then the others.
 * Rooms of which the viewer is no member come last.
 */
export function byUse<T extends Room>(rooms: readonly T[], recent: readonly string[]): T[] {
  const rankOf = ({ isMember, hasUnread }: Room) => (isMember ? (hasUnread ? 0 : 1) : 2)
  const ageOf = ({ id }: Room) => (recent.includes(id) ? recent.indexOf(id) : recent.length)
  return rooms.toSorted((one, other) => rankOf(one) - rankOf(other) || ageOf(one) - ageOf(other))
}
