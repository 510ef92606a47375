import type { Reader } from '@parley/postgres'
import { anyOf } from './any-of.ts'
import { roomMembers } from './schema.ts'

/** Ids of who is in direct messages, by room: also of who was deleted since, because a membership there ends by nothing else. */
export async function findDmMembers(reader: Reader, roomIds: readonly string[]): Promise<Map<string, string[]>> {
  const found = await reader
    .select({ roomId: roomMembers.roomId, userId: roomMembers.userId })
    .from(roomMembers)
    .where(anyOf(roomMembers.roomId, roomIds))
    .orderBy(roomMembers.roomId, roomMembers.userId)
  const members = new Map<string, string[]>()
  for (const { roomId, userId } of found) {
    const known = members.get(roomId)
    if (known) known.push(userId)
    else members.set(roomId, [userId])
  }
  return members
}
