import { and, eq } from 'drizzle-orm'
import { RoomKind } from '@parley/contracts/api'
import type { RoomFact } from '@parley/contracts/internal'
import type { Tx } from '@parley/postgres'
import type { HeldFact } from '../clients/messaging.ts'
import { restate, type OurRoom, type StandingByFacts, type TheirRoom } from '../domain/restate.ts'
import { nextVersion } from '@parley/events'
import { roomFact, type Change } from '../domain/room-fact.ts'
import { anyOf } from './any-of.ts'
import { saveMemberships } from './changes.ts'
import { insertFacts } from './facts.ts'
import type { RoomRow } from './rows.ts'
import { roomBans, roomMembers } from './schema.ts'

/** `waiting`: facts that messaging does not have yet. New facts follow `predecessor`, with versions above `top`. */
type Difference = {
  theirs: TheirRoom
  waiting: readonly RoomFact[]
  predecessor: HeldFact
  top: bigint
}

const factsPerStatement = 1000

/**
 * Adds facts that make messaging's channel equal to ours. The row of the room must be locked. A direct message gets
 * none, because its participants never change.
 */
export async function restateRoom(tx: Tx, room: RoomRow, difference: Difference): Promise<RoomFact[]> {
  if (room.kind !== RoomKind.CHANNEL) return []
  const ours = await ourRoom(tx, room, [...difference.theirs.standings.keys()])
  const changes = restate(difference.theirs, difference.waiting, ours)
  // Without a fact above messaging's, the same difference would be found again and again.
  if (changes.length + difference.waiting.length === 0)
    changes.push({ case: 'moved', value: { groupId: ours.groupId } })
  const at = new Date()
  const facts = toFacts(difference, changes, at)
  for (let from = 0; from < facts.length; from += factsPerStatement) {
    const batch = facts.slice(from, from + factsPerStatement)
    await insertFacts(tx, room.id, batch, at)
    await saveVersions(tx, room.id, batch, at)
  }
  return facts
}

function toFacts({ predecessor, top }: Difference, changes: readonly Change[], at: Date): RoomFact[] {
  let previous = predecessor
  let highest = predecessor.version > top ? predecessor.version : top
  return changes.map((change) => {
    highest = nextVersion(highest, at)
    const fact = roomFact(previous.version, change, { actorId: '', at }, highest)
    fact.previousEventId = previous.eventId
    previous = fact
    return fact
  })
}

async function ourRoom(tx: Tx, room: RoomRow, userIds: readonly string[]): Promise<OurRoom> {
  const members = await tx
    .select()
    .from(roomMembers)
    .where(and(eq(roomMembers.roomId, room.id), anyOf(roomMembers.userId, userIds)))
  const bans = await tx
    .select()
    .from(roomBans)
    .where(and(eq(roomBans.roomId, room.id), anyOf(roomBans.userId, userIds)))
  const banOf = new Map(bans.map((ban) => [ban.userId, ban]))
  const memberOf = new Map(members.map(({ userId, member }) => [userId, member]))
  const standings = userIds.map((userId): [string, StandingByFacts] => {
    const ban = banOf.get(userId)
    const banned = ban?.banned ?? false
    return [
      userId,
      { member: memberOf.get(userId) ?? false, banned, expiresAt: banned ? (ban?.expiresAt ?? null) : null },
    ]
  })
  const { name, groupId, universal, archived } = room
  return { name, groupId: groupId ?? '', universal, archived, standings: new Map(standings) }
}

async function saveVersions(tx: Tx, roomId: string, facts: readonly RoomFact[], since: Date): Promise<void> {
  const memberships = new Map<string, typeof roomMembers.$inferInsert>()
  for (const { fact, version } of facts) {
    if (fact.case === 'joined' || fact.case === 'left') {
      const { userId } = fact.value
      memberships.set(userId, { roomId, userId, member: fact.case === 'joined', version, since })
    }
    if (fact.case === 'banned' || fact.case === 'unbanned')
      await tx
        .update(roomBans)
        .set({ version })
        .where(and(eq(roomBans.roomId, roomId), eq(roomBans.userId, fact.value.userId)))
  }
  if (memberships.size > 0) await saveMemberships(tx, [...memberships.values()])
}
