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

/** Further kinds of events, or of changes included in events. */
const furtherKinds = `
  account_deleted asset_deleted asset_processing_failed asset_processing_started asset_processing_succeeded call_ended
  call_participant_joined call_participant_left call_started auth_code_exchange_failed auth_code_exchange_succeeded auth_code_issued ban_expired
  bearer_token_issued bearer_token_revoked credentials_ended email_verification_code_issued erasure_requested member_unbanned
  oauth_consent_denied password_reset_completed password_reset_link_issued rbac_permission_cleared rbac_permission_denied
  rbac_permission_granted rbac_role_created rbac_role_deleted rbac_role_description_changed rbac_role_display_name_changed
  rbac_role_pingable_changed rbac_role_revoked rbac_roles_reordered registration_verification_code_issued roles_changed
  room_archived room_group_created room_group_deleted room_group_updated room_groups_reordered room_groups_updated
  room_removed_from_group room_unarchived room_universal_changed room_updated server_banner_cleared server_banner_set server_blocked_usernames_changed server_description_changed server_logo_cleared server_member_deleted
  server_motd_changed server_name_changed server_welcome_message_changed sidebar_group_entries_reordered
  sidebar_link_added_to_group sidebar_link_removed_from_group sidebar_link_updated user_avatar_cleared user_avatar_set
  user_custom_status_cleared user_custom_status_set user_display_name_changed user_external_identity_linked
  user_external_identity_unlinked user_joined_room user_left_room user_login_changed user_room_notification_level_cleared
  user_room_notification_level_set user_server_notification_level_cleared user_server_notification_level_set user_login_cooldown_cleared
  user_login_cooldown_started user_password_hash_changed user_profile_updated user_server_preferences_changed
  user_verified_email_added`

test('the types of further kinds can be used in filters', () => {
  for (const kind of furtherKinds.trim().split(/\s+/)) expect(knownEventTypes).toContain(eventTypeOf(plain(kind)))
})

test('an unknown kind gets a type by the same pattern', () => {
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

test('a join or leave caused by another user is an addition or removal, except in DMs', () => {
  expect(eventTypeOf(membership('joined', 'Uann', 'Uann'))).toBe('UserJoinedRoomEvent')
  expect(eventTypeOf(membership('joined', 'Uann', 'Ubob'))).toBe('RoomMemberAddedEvent')
  expect(eventTypeOf(membership('left', 'Uann', 'Uann'))).toBe('UserLeftRoomEvent')
  expect(eventTypeOf(membership('left', 'Uann', 'Ubob'))).toBe('RoomMemberRemovedEvent')
  expect(eventTypeOf(membership('left', 'Uann', ''))).toBe('UserLeftRoomEvent')
  expect(eventTypeOf(membership('joined', 'Uann', 'Ubob', true))).toBe('UserJoinedRoomEvent')
})

test('known event types are unique and sorted', () => {
  expect(knownEventTypes).toEqual([...new Set(knownEventTypes)].sort())
})
