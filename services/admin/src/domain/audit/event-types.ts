import type { Event } from '@parley/contracts/internal'

/** The parts of an event that determine the type of its audit entry. */
export type TypedEvent = Pick<Event, 'kind' | 'actorId' | 'fact'>

/** Types of audit entries that `typeFromKind` does not yield, by the kind of the event. */
const specialTypes = new Map([
  ['account_deleted', 'UserAccountDeletedEvent'],
  ['ban_expired', 'RoomMemberBanExpiredEvent'],
  ['credentials_ended', 'UserCredentialsEndedEvent'],
  ['erasure_requested', 'UserErasureRequestedEvent'],
  ['member_banned', 'RoomMemberBannedEvent'],
  ['member_unbanned', 'RoomMemberUnbannedEvent'],
  ['policy_changed', 'RbacPolicyChangedEvent'],
  ['roles_changed', 'UserRolesChangedEvent'],
  ['room_moved', 'RoomAddedToGroupEvent'],
  ['user_created', 'UserAccountCreatedEvent'],
])

/** Words with a special spelling. */
const spellings = new Map([
  ['oauth', 'OAuth'],
  ['oidc', 'OIDC'],
  ['dm', 'DM'],
])

/**
 * Returns the type of an event in the audit log: `RoomCreatedEvent` for the kind `room_created`. Unknown kinds follow the
 * same pattern.
 */
export function eventTypeOf(event: TypedEvent): string {
  return typeIfCausedByOthers(event) ?? specialTypes.get(event.kind) ?? typeFromKind(event.kind)
}

/** If another user caused a join or leave, the member was added or removed; not in direct messages. */
function typeIfCausedByOthers({ actorId, fact }: TypedEvent): string | undefined {
  if (fact.case !== 'roomFact' || fact.value.header?.dm || actorId === '') return undefined
  const change = fact.value.fact?.fact
  if (change?.case !== 'joined' && change?.case !== 'left') return undefined
  if (change.value.userId === actorId) return undefined
  return change.case === 'joined' ? 'RoomMemberAddedEvent' : 'RoomMemberRemovedEvent'
}

function typeFromKind(kind: string): string {
  const named = kind.split('_').map((word) => spellings.get(word) ?? word.charAt(0).toUpperCase() + word.slice(1))
  return `${named.join('')}Event`
}
