import { create } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { EventSchema, RoomFactAppliedSchema, type Event } from '@parley/contracts/internal'
import { eventTypeOf } from './event-types.ts'
import { knownEventTypes } from './known-types.ts'

const plain = (kind: string): Event => create(EventSchema, { kind })

test.each([
  ['room_created', 'RoomCreatedEvent'],
  ['message_posted', 'MessagePostedEvent'],
  ['user_created', 'UserAccountCreatedEvent'],
  ['account_deleted', 'UserAccountDeletedEvent'],
  ['member_banned', 'RoomMemberBannedEvent'],
  ['room_moved', 'RoomAddedToGroupEvent'],
  ['login_succeeded', 'LoginSucceededEvent'],
  ['login_failed', 'LoginFailedEvent'],
  ['logout_succeeded', 'LogoutSucceededEvent'],
  ['rbac_role_assigned', 'RbacRoleAssignedEvent'],
  ['policy_changed', 'RbacPolicyChangedEvent'],
  ['oauth_consent_granted', 'OAuthConsentGrantedEvent'],
  ['server_logo_set', 'ServerLogoSetEvent'],
  ['server_updated', 'ServerUpdatedEvent'],
])('%s is a %s, which clients may offer as a filter', (kind, type) => {
  expect(eventTypeOf(plain(kind))).toBe(type)
  expect(knownEventTypes).toContain(type)
})

test('a kind that nobody knows follows the pattern', () => {
  expect(eventTypeOf(plain('tea_kettle_boiled'))).toBe('TeaKettleBoiledEvent')
})

const membership = (which: 'joined' | 'left', userId: string, actorId: string, dm = false): Event =>
  create(EventSchema, {
    kind: which === 'joined' ? 'user_joined_room' : 'user_left_room',
    actorId,
    fact: {
      case: 'roomFact',
      value: create(RoomFactAppliedSchema, { fact: { fact: { case: which, value: { userId } } }, header: { dm } }),
    },
  })

test('who joins or leaves by another is added or removed', () => {
  expect(eventTypeOf(membership('joined', 'Uann', 'Uann'))).toBe('UserJoinedRoomEvent')
  expect(eventTypeOf(membership('joined', 'Uann', 'Ubob'))).toBe('RoomMemberAddedEvent')
  expect(eventTypeOf(membership('left', 'Uann', 'Uann'))).toBe('UserLeftRoomEvent')
  expect(eventTypeOf(membership('left', 'Uann', 'Ubob'))).toBe('RoomMemberRemovedEvent')
  expect(eventTypeOf(membership('left', 'Uann', ''))).toBe('UserLeftRoomEvent')
  expect(eventTypeOf(membership('joined', 'Uann', 'Ubob', true))).toBe('UserJoinedRoomEvent')
})

test('types are unique and sorted', () => {
  expect(knownEventTypes).toEqual([...new Set(knownEventTypes)].sort())
})
