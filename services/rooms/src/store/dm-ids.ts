import { randomBytes } from 'node:crypto'
import { dmRoomId, unkeyedDmRoomId } from '@parley/ids'
import type { Db } from '@parley/postgres'
import type { RoomWithStanding } from './rows.ts'
import { dmKeys } from './schema.ts'
import { findRooms } from './rooms.ts'

/** The key is created at its first use. */
export async function readDmKey(db: Db): Promise<Uint8Array> {
  await db
    .insert(dmKeys)
    .values({ key: randomBytes(32) })
    .onConflictDoNothing()
  const [row] = await db.select({ key: dmKeys.key }).from(dmKeys)
  if (!row) throw new Error('the key for the room ids of direct messages is missing in the database')
  return row.key
}

export async function findDm(
  db: Db,
  key: Uint8Array,
  { participantIds, viewerId }: { participantIds: readonly string[]; viewerId: string },
): Promise<{ roomId: string; known: RoomWithStanding | undefined }> {
  const keyed = dmRoomId(key, participantIds)
  // Direct messages from before the key have ids that were computed without it.
  const old = unkeyedDmRoomId(participantIds)
  const found = await findRooms(db, viewerId, [old, keyed])
  const known = found.find(({ room }) => room.id === old) ?? found[0]
  return { roomId: known?.room.id ?? keyed, known }
}
