import { sql } from 'drizzle-orm'
import { preparedQuery, type Reader } from '@parley/postgres'
import { roomMembers } from './schema.ts'

const membersOf = preparedQuery('members_of_dms', (reader) =>
  reader
    .select({ roomId: roomMembers.roomId, userId: roomMembers.userId })
    .from(roomMembers)
    .where(sql`${roomMembers.roomId} = any(${sql.placeholder('roomIds')})`)
    .orderBy(roomMembers.roomId, roomMembers.userId),
)

/** Ids of who is in direct messages, by room: also of who was deleted since, because a membership there ends by nothing else. */
export async function findDmMembers(reader: Reader, roomIds: readonly string[]): Promise<Map<string, string[]>> {
  const found = await membersOf(reader, { roomIds })
  const members = new Map<string, string[]>()
  for (const { roomId, userId } of found) {
    const known = members.get(roomId)
    if (known) known.push(userId)
    else members.set(roomId, [userId])
  }
  return members
}
