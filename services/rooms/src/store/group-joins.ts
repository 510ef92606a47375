import { sql } from 'drizzle-orm'
import { sqlRows, type Reader, type Tx } from '@parley/postgres'
import { roomFact, type Cause } from '../domain/room-fact.ts'
import { saveMemberships } from './changes.ts'
import { insertFactsOfRooms, type FactOfRoom } from './facts.ts'
import type { RoomRow } from './rows.ts'

/** Locks the rooms in the order of ids, as every transaction does, to avoid deadlocks. */
export async function lockRooms(tx: Tx, roomIds: readonly string[]): Promise<void> {
  await tx.execute(sql`select from rooms where id = any(${sql.param([...roomIds])}) order by id for update`)
}

/**
 * The rooms must be locked with `lockRooms`, and the user must not be a member of any of them. The number of statements
 * does not depend on the number of rooms.
 */
export async function joinRooms(
  tx: Tx,
  rooms: readonly RoomRow[],
  userId: string,
  cause: Cause,
): Promise<FactOfRoom[]> {
  const facts = rooms.map(({ id, version }) => {
    return { roomId: id, fact: roomFact(version, { case: 'joined', value: { userId } }, cause) }
  })
  const ids = rooms.map(({ id }) => id)
  const versions = facts.map(({ fact }) => fact.version)
  await tx.execute(sql`
    update rooms set version = made.version
    from unnest(${sql.param(ids)}::text[], ${sql.param(versions)}::bigint[]) made(id, version) where rooms.id = made.id`)
  await insertFactsOfRooms(tx, facts, cause.at)
  const memberships = facts.map(({ roomId, fact }) => {
    return { roomId, userId, member: true, version: fact.version, since: cause.at }
  })
  await saveMemberships(tx, memberships)
  return facts
}

export async function findUnappliedJoins(reader: Reader, userId: string, groupId: string): Promise<string[]> {
  const joins = await sqlRows<{ roomId: string }>(
    reader,
    sql`select member.room_id as "roomId"
        from rooms
        join room_members as member on member.room_id = rooms.id and member.user_id = ${userId} and member.member
        join room_facts as fact on fact.room_id = member.room_id and fact.version = member.version
        where rooms.group_id = ${groupId} and fact.applied_at is null`,
  )
  return joins.map(({ roomId }) => roomId)
}
