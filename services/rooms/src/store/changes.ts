import { eq, sql } from 'drizzle-orm'
import type { RoomFact } from '@parley/contracts/internal'
import type { Tx } from '@parley/postgres'
import { roomFact, type Cause, type Change } from '../domain/room-fact.ts'
import { insertFacts } from './facts.ts'
import type { RoomRow } from './rows.ts'
import { roomMembers, rooms } from './schema.ts'

export type Patch = Partial<
  Pick<RoomRow, 'name' | 'nameKey' | 'description' | 'universal' | 'universalEndedAt' | 'archived' | 'groupId'>
>

export type Changed = { room: RoomRow; facts: RoomFact[] }

/** Everything on which the change depends must be read after this. */
export async function lockRoom(tx: Tx, roomId: string): Promise<RoomRow | undefined> {
  const [room] = await tx.select().from(rooms).where(eq(rooms.id, roomId)).for('update')
  return room
}

/** The room must be locked. */
export async function changeRoom(
  tx: Tx,
  room: RoomRow,
  change: Change,
  cause: Cause,
  patch: Patch = {},
): Promise<Changed> {
  const fact = roomFact(room.version, change, cause)
  const written = { ...patch, version: fact.version }
  await tx.update(rooms).set(written).where(eq(rooms.id, room.id))
  await insertFacts(tx, room.id, [fact], cause.at)
  return { room: { ...room, ...written }, facts: [fact] }
}

export type Membership = { userId: string; member: boolean; cause: Cause }

/** Changes memberships of different users, and returns the result of each change. The room must be locked. */
export async function changeMemberships(
  tx: Tx,
  before: RoomRow,
  memberships: readonly Membership[],
): Promise<Changed[]> {
  let room = before
  const changed = memberships.map(({ userId, member, cause }) => {
    const fact = roomFact(room.version, { case: member ? 'joined' : 'left', value: { userId } }, cause)
    room = { ...room, version: fact.version }
    return { room, facts: [fact] }
  })
  const [first] = memberships
  if (!first) return []
  const { id: roomId, version } = room
  await tx.update(rooms).set({ version }).where(eq(rooms.id, roomId))
  await insertFacts(
    tx,
    roomId,
    changed.flatMap(({ facts }) => facts),
    first.cause.at,
  )
  await saveMemberships(
    tx,
    memberships.map(({ userId, member, cause }, index) => {
      return { roomId, userId, member, version: changed[index]?.room.version ?? version, since: cause.at }
    }),
  )
  return changed
}

export async function changeMembership(
  tx: Tx,
  room: RoomRow,
  membership: { userId: string; member: boolean },
  cause: Cause,
): Promise<Changed> {
  const [changed] = await changeMemberships(tx, room, [{ ...membership, cause }])
  return changed ?? { room, facts: [] }
}

export async function saveMemberships(tx: Tx, memberships: (typeof roomMembers.$inferInsert)[]): Promise<void> {
  await tx
    .insert(roomMembers)
    .values(memberships)
    .onConflictDoUpdate({
      target: [roomMembers.roomId, roomMembers.userId],
      set: { member: sql`excluded.member`, version: sql`excluded.version`, since: sql`excluded.since` },
    })
}
