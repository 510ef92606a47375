import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { RoomFact } from '@parley/contracts/internal'
import type { Change } from './room-fact.ts'

/** A user's standing according to the facts: a ban counts until a fact ends it, even past its expiry. */
export type StandingByFacts = { member: boolean; banned: boolean; expiresAt: Date | null }
type Attributes = { name: string; groupId: string; universal: boolean; archived: boolean }
/**
 * Messaging's state of a channel. `standings`: only those changed by facts that the database of rooms has lost, or has
 * not marked as applied.
 */
export type TheirRoom = Attributes & { standings: Map<string, StandingByFacts> }
export type OurRoom = Attributes & { standings: ReadonlyMap<string, StandingByFacts> }

const noStanding: StandingByFacts = { member: false, banned: false, expiresAt: null }

/**
 * The changes that messaging must apply after the unapplied facts so that its channel equals ours. A user's ban comes
 * first, because it ends the membership.
 */
export function restate(theirs: TheirRoom, unapplied: readonly RoomFact[], ours: OurRoom): Change[] {
  const expected = roomAfter(theirs, unapplied)
  const changes: Change[] = []
  if (expected.name !== ours.name) changes.push({ case: 'updated', value: { name: ours.name } })
  if (expected.groupId !== ours.groupId) changes.push({ case: 'moved', value: { groupId: ours.groupId } })
  if (expected.universal !== ours.universal) changes.push({ case: 'universal', value: { universal: ours.universal } })
  if (expected.archived !== ours.archived)
    changes.push(ours.archived ? { case: 'archived', value: {} } : { case: 'unarchived', value: {} })
  for (const [userId, standing] of expected.standings)
    changes.push(...standingChanges(userId, standing, ours.standings.get(userId) ?? noStanding))
  return changes
}

function standingChanges(userId: string, theirs: StandingByFacts, ours: StandingByFacts): Change[] {
  const changes: Change[] = []
  let { member } = theirs
  if (ours.banned && !(theirs.banned && theirs.expiresAt?.getTime() === ours.expiresAt?.getTime())) {
    const expiry = ours.expiresAt && { expiresAt: timestampFromDate(ours.expiresAt) }
    changes.push({ case: 'banned', value: { userId, ...expiry } })
    member = false
  }
  if (!ours.banned && theirs.banned) changes.push({ case: 'unbanned', value: { userId } })
  if (ours.member !== member) changes.push({ case: ours.member ? 'joined' : 'left', value: { userId } })
  return changes
}

function roomAfter(theirs: TheirRoom, facts: readonly RoomFact[]): TheirRoom {
  const room = { ...theirs, standings: new Map(theirs.standings) }
  for (const { fact } of facts) {
    if (fact.case === 'updated') room.name = fact.value.name
    if (fact.case === 'moved') room.groupId = fact.value.groupId
    if (fact.case === 'universal') room.universal = fact.value.universal
    if (fact.case === 'archived' || fact.case === 'unarchived') room.archived = fact.case === 'archived'
    if (!fact.value || !('userId' in fact.value)) continue
    const { userId } = fact.value
    const standing = room.standings.get(userId)
    if (standing) room.standings.set(userId, standingAfter(standing, fact))
  }
  return room
}

function standingAfter(standing: StandingByFacts, fact: RoomFact['fact']): StandingByFacts {
  switch (fact.case) {
    case 'joined':
    case 'left':
      return { ...standing, member: fact.case === 'joined' }
    case 'banned':
      return {
        member: false,
        banned: true,
        expiresAt: fact.value.expiresAt ? timestampDate(fact.value.expiresAt) : null,
      }
    case 'unbanned':
    case 'banExpired':
      return { ...standing, banned: false, expiresAt: null }
    default:
      return standing
  }
}
