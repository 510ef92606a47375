import { eq } from 'drizzle-orm'
import type { Tx } from '@parley/postgres'
import { roomFacts, type Cause } from '../domain/room-fact.ts'
import { saveMemberships, type Changed } from './changes.ts'
import { insertFacts } from './facts.ts'
import { findMembersAmong } from './imported-rooms.ts'
import type { RoomRow } from './rows.ts'
import { rooms } from './schema.ts'

/** Skips members; the room must be locked. */
export async function addMembers(tx: Tx, room: RoomRow, userIds: readonly string[], cause: Cause): Promise<Changed> {
  const members = await findMembersAmong(tx, room.id, userIds)
  const added = [...new Set(userIds)].filter((userId) => !members.has(userId))
  const facts = roomFacts(
    room.version,
    added.map((userId) => ({ case: 'joined', value: { userId } })),
    cause,
  )
  const version = facts.at(-1)?.version
  if (version === undefined) return { room, facts }
  await tx.update(rooms).set({ version }).where(eq(rooms.id, room.id))
  await insertFacts(tx, room.id, facts, cause.at)
  const since = cause.at
  await saveMemberships(
    tx,
    added.map((userId, index) => ({
      ...{ roomId: room.id, userId, member: true, since },
      version: facts[index]?.version ?? version,
    })),
  )
  return { room: { ...room, version }, facts }
}
