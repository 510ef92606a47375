import { readFileSync } from 'node:fs'
import type { DescFile } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { describe, expect, test } from '@jest/globals'
import { publicFiles, publicServices } from '../src/catalogue.ts'
import { messageLines } from './_wire-lines.ts'

/** Our own additions to messages of the wire contract are numbered from here. Messages that we added start at 1. */
const firstOwnNumber = 100

const wire = readFileSync(new URL('wire.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
const files = publicFiles.filter((file) => file.proto.package.startsWith('svc.'))
const lines = files.flatMap(fileLines)

function fileLines(file: DescFile): string[] {
  return [
    ...file.messages.flatMap(messageLines),
    ...file.enums.flatMap((e) => e.values.map((value) => `value ${e.typeName} ${value.number} ${value.name}`)),
    ...file.services.flatMap((service) =>
      service.methods.map(
        (method) => `method ${service.typeName}.${method.name} ${method.input.typeName} ${method.output.typeName}`,
      ),
    ),
  ]
}

test('the wire contract is unchanged', () => {
  const present = new Set(lines)
  expect(wire.length).toBeGreaterThan(1800)
  expect(wire.filter((line) => !present.has(line))).toEqual([])
})

describe('additions', () => {
  const known = new Set(wire)
  const added = lines.filter((line) => !known.has(line)).map((line) => line.split(' '))
  const owners = new Set(wire.map((line) => line.split(' ')[1]))

  test('to known messages and enums are fields and values from 100 up', () => {
    for (const [kind, owner, number] of added.filter(([, owner]) => owners.has(owner))) {
      expect(['field', 'value']).toContain(kind)
      expect({ owner, own: Number(number) >= firstOwnNumber }).toEqual({ owner, own: true })
    }
  })

  /** The lines of messages and methods that are not in the original contract. */
  const newLines = [
    ...methodsOf('svc.admin.v1.AdminUserService', 'svc.admin.v1', [
      ...['CreateUser', 'DeactivateUser', 'ReactivateUser', 'CreateInvite', 'ListInvites', 'RevokeInvite'],
      'RemoveUserEmailAddress',
    ]),
    ...methodsOf('svc.api.v1.MyAccountService', 'svc.api.v1', [
      ...['ListMySessions', 'EndMySession', 'ListEmailAddresses', 'RemoveEmailAddress'],
      ...['ListOAuthConsents', 'WithdrawOAuthConsent'],
    ]),
    ...methodsOf('svc.api.v1.MessageService', 'svc.api.v1', ['ListReactionUsers']),
    ...messageOf('svc.api.v1.ListReactionUsersRequest', [
      ...['plain string room_id', 'plain string message_event_id', 'plain string emoji'],
      'plain svc.api.v1.PageRequest page',
    ]),
    ...messageOf('svc.api.v1.ListReactionUsersResponse', [
      ...['repeated string user_ids', 'plain svc.api.v1.RoomTimelineIncludes includes'],
      'plain svc.api.v1.PageInfo page',
    ]),
    ...messageOf('svc.admin.v1.RemoveUserEmailAddressRequest', [
      ...['plain string user_id', 'plain string address', 'plain string current_password'],
    ]),
    ...messageOf('svc.admin.v1.RemoveUserEmailAddressResponse', ['plain svc.admin.v1.AdminMember member']),
    ...messageOf('svc.api.v1.EmailAddress', [
      ...['plain string address', 'plain google.protobuf.Timestamp verified_at', 'plain bool removable'],
    ]),
    ...messageOf('svc.api.v1.ListEmailAddressesRequest', []),
    ...messageOf('svc.api.v1.ListEmailAddressesResponse', ['repeated svc.api.v1.EmailAddress addresses']),
    ...messageOf('svc.api.v1.RemoveEmailAddressRequest', ['plain string address', 'plain string current_password']),
    ...messageOf('svc.api.v1.RemoveEmailAddressResponse', ['repeated svc.api.v1.EmailAddress addresses']),
    ...messageOf('svc.api.v1.OAuthConsent', ['plain string origin', 'plain google.protobuf.Timestamp granted_at']),
    ...messageOf('svc.api.v1.ListOAuthConsentsRequest', []),
    ...messageOf('svc.api.v1.ListOAuthConsentsResponse', ['repeated svc.api.v1.OAuthConsent consents']),
    ...messageOf('svc.api.v1.WithdrawOAuthConsentRequest', ['plain string origin']),
    ...messageOf('svc.api.v1.WithdrawOAuthConsentResponse', ['plain uint32 ended']),
    ...messageOf('svc.realtime.v1.RealtimePermissionsChangedEvent', []),
    ...messageOf('svc.admin.v1.CreateUserRequest', [
      ...['plain string login', 'plain string display_name', 'plain string password', 'plain string email'],
      'repeated string role_names',
    ]),
    ...messageOf('svc.admin.v1.CreateUserResponse', ['plain svc.admin.v1.AdminMember member']),
    ...messageOf('svc.admin.v1.DeactivateUserRequest', ['plain string user_id']),
    ...messageOf('svc.admin.v1.DeactivateUserResponse', ['plain svc.admin.v1.AdminMember member']),
    ...messageOf('svc.admin.v1.ReactivateUserRequest', ['plain string user_id']),
    ...messageOf('svc.admin.v1.ReactivateUserResponse', ['plain svc.admin.v1.AdminMember member']),
    ...messageOf('svc.admin.v1.Invite', [
      ...['plain string id', 'plain string label', 'plain string email', 'repeated string role_names'],
      ...['plain uint32 max_uses', 'plain uint32 uses', 'plain string created_by_user_id'],
      ...['plain google.protobuf.Timestamp created_at', 'plain google.protobuf.Timestamp expires_at'],
    ]),
    ...messageOf('svc.admin.v1.CreateInviteRequest', [
      ...['plain string label', 'plain string email', 'repeated string role_names', 'plain uint32 max_uses'],
      'plain google.protobuf.Timestamp expires_at',
    ]),
    ...messageOf('svc.admin.v1.CreateInviteResponse', ['plain svc.admin.v1.Invite invite', 'plain string url']),
    ...messageOf('svc.admin.v1.ListInvitesRequest', ['plain svc.api.v1.PageRequest page']),
    ...messageOf('svc.admin.v1.ListInvitesResponse', [
      ...['repeated svc.admin.v1.Invite invites', 'plain svc.api.v1.PageInfo page'],
    ]),
    ...messageOf('svc.admin.v1.RevokeInviteRequest', ['plain string invite_id']),
    ...messageOf('svc.admin.v1.RevokeInviteResponse', ['plain bool revoked']),
    ...messageOf('svc.api.v1.ListMySessionsRequest', []),
    ...messageOf('svc.api.v1.ListMySessionsResponse', ['repeated svc.api.v1.Session sessions']),
    ...messageOf('svc.api.v1.Session', [
      ...['plain string id', 'plain bool current', 'plain string user_agent'],
      ...['created_at', 'last_used_at', 'expires_at'].map((name) => `plain google.protobuf.Timestamp ${name}`),
    ]),
    ...messageOf('svc.api.v1.EndMySessionRequest', ['plain string session_id', 'plain bool all_others']),
    ...messageOf('svc.api.v1.EndMySessionResponse', ['plain uint32 ended']),
    ...messageOf('svc.admin.v1.AdminStreamLosses', [
      ...['plain int32 recoveries', 'plain google.protobuf.Timestamp last_recovered_at', 'plain int64 lost_events'],
    ]),
  ]

  test('are exactly the listed ones', () => {
    expect(added.map((line) => line.slice(0, 6).join(' ')).sort()).toEqual(
      [
        'field svc.admin.v1.AdminMember 100 plain google.protobuf.Timestamp deactivated_at',
        'field svc.admin.v1.AdminMember 101 plain bool viewer_can_deactivate',
        'field svc.admin.v1.AdminNatsStreamInfo 100 plain int64 max_bytes',
        'field svc.admin.v1.AdminNatsStreamInfo 101 plain int32 replicas_wanted',
        'field svc.admin.v1.AdminSystemInfo 100 plain svc.admin.v1.AdminStreamLosses stream_losses',
        'field svc.admin.v1.UpdateUserPasswordRequest 100 plain string current_password',
        ...newLines,
        'field svc.api.v1.BatchGetUsersRequest 100 repeated string logins',
        'field svc.api.v1.GetViewerResponse 100 repeated svc.api.v1.Role mentionable_roles',
        'field svc.api.v1.ListRoomMembersRequest 100 plain svc.api.v1.RoomMembershipKind membership',
        'field svc.api.v1.PageInfo 100 plain string next_cursor',
        'field svc.api.v1.PageRequest 100 plain string cursor',
        'field svc.api.v1.RoomWithViewerState 100 repeated svc.api.v1.User dm_members',
        'field svc.api.v1.ServerLogin 100 plain string issuer',
        'field svc.discovery.v1.GetServerResponse 100 plain svc.api.v1.ServerPublicProfile public_profile',
        'field svc.discovery.v1.GetServerResponse 101 plain bool direct_registration_enabled',
        'field svc.discovery.v1.GetServerResponse 102 repeated svc.api.v1.ProviderMetadata login_providers',
        'field svc.discovery.v1.GetServerResponse 103 optional int64 motd_version',
        'field svc.realtime.v1.RealtimeError 100 plain uint32 retry_after_ms',
        'field svc.realtime.v1.RealtimeEventEnvelope 100 plain string position',
        'field svc.realtime.v1.RealtimeEventEnvelope 101 oneof:event svc.realtime.v1.RealtimePermissionsChangedEvent permissions_changed',
        'field svc.realtime.v1.RealtimeHeartbeat 100 plain string position',
        'field svc.realtime.v1.RealtimeMessageRetractedEvent 100 optional string thread_root_event_id',
        'field svc.realtime.v1.RealtimeSubscribeEvents 100 plain string resume_position',
        'field svc.realtime.v1.RealtimeSubscribed 100 plain string position',
        'field svc.realtime.v1.RealtimeSubscribed 101 plain bool reset',
        'value svc.api.v1.RoomMembershipKind 0 ROOM_MEMBERSHIP_KIND_UNSPECIFIED',
        'value svc.api.v1.RoomMembershipKind 1 ROOM_MEMBERSHIP_KIND_EXPLICIT',
        'value svc.api.v1.RoomMembershipKind 2 ROOM_MEMBERSHIP_KIND_EFFECTIVE',
      ].sort(),
    )
  })
})

function methodsOf(service: string, pkg: string, names: string[]): string[] {
  return names.map((name) => `method ${service}.${name} ${pkg}.${name}Request ${pkg}.${name}Response`)
}

/** Fields are numbered in the order given. */
function messageOf(message: string, fields: string[]): string[] {
  return [`message ${message}`, ...fields.map((field, at) => `field ${message} ${at + 1} ${field}`)]
}

test('JSON names are the lowerCamelCase form of field names', () => {
  const camel = (name: string) => name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  const fields = files.flatMap((file) => file.messages.flatMap((message) => message.fields))
  expect(fields.filter((field) => field.jsonName !== camel(field.name))).toEqual([])
})

test('all reads except two, and no other methods, are declared free of side effects', () => {
  const reads = /^(Get|List|BatchGet|Has|Explain)/
  // GetCallToken returns a secret, GetPendingExternalIdentity accepts one. If they were GET requests, caches could store
  // the response of the first and the URL of the second.
  const secrets = ['GetCallToken', 'GetPendingExternalIdentity']
  for (const method of publicServices.flatMap((service) => service.methods)) {
    const read = reads.test(method.name) && !secrets.includes(method.name)
    expect({
      method: method.name,
      read: method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS,
    }).toEqual({ method: method.name, read })
  }
})
