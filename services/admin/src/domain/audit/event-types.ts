import type { Event } from '@parley/contracts/internal'

export type TypedEvent = Pick<Event, 'kind' | 'actorId' | 'fact'>

/** Types that `typeFromKind` does not yield, by kind. */
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

const spellings = new Map([
  ['oauth', 'OAuth'],
  ['oidc', 'OIDC'],
  ['dm', 'DM'],
])

/** `RoomCreatedEvent` for the kind `room_created`. Unknown kinds follow the same pattern. */
export function eventTypeOf(event: TypedEvent): string {
  return typeIfCausedByOthers(event) ?? specialTypes.get(event.kind) ?? typeFromKind(event.kind)
}

/** A join or leave caused by another user is an addition or a removal; not in direct messages. */
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
