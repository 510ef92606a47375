import type { Event } from '@parley/contracts/internal'

/** The parts of an event that determine an audit entry's type. */
export type TypedEvent = Pick<Event, 'kind' | 'actorId' | 'fact'>

/** Kinds of events whose audit entry has a different name. */
const renamed = new Map([
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
const words = new Map([
  ['oauth', 'OAuth'],
  ['oidc', 'OIDC'],
  ['dm', 'DM'],
])

/** `RoomCreatedEvent` for `room_created`; unknown kinds follow the same pattern. */
export function eventTypeOf(event: TypedEvent): string {
  return byAnother(event) ?? renamed.get(event.kind) ?? inPattern(event.kind)
}

/** A member who joins or leaves through somebody else's action was added or removed. */
function byAnother({ actorId, fact }: TypedEvent): string | undefined {
  if (fact.case !== 'roomFact' || fact.value.header?.dm || actorId === '') return undefined
  const change = fact.value.fact?.fact
  if (change?.case !== 'joined' && change?.case !== 'left') return undefined
  if (change.value.userId === actorId) return undefined
  return change.case === 'joined' ? 'RoomMemberAddedEvent' : 'RoomMemberRemovedEvent'
}

function inPattern(kind: string): string {
  const named = kind.split('_').map((word) => words.get(word) ?? word.charAt(0).toUpperCase() + word.slice(1))
  return `${named.join('')}Event`
}
