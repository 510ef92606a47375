import type { MessageInitShape } from '@bufbuild/protobuf'
import type { CredentialsEndedFact, RoomFactSchema } from '@parley/contracts/internal'
import { everyoneRoleId } from '@parley/permissions'
import { type PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { encodeRealtimeEnvelope, type AggregateType } from '@parley/events'
import { newId } from '@parley/ids'
import type { TestEvent } from '@parley/testkit'

export { publishEvents as publish } from '@parley/testkit'

export type EventInit = TestEvent & { id: string }
type Fact = NonNullable<MessageInitShape<typeof RoomFactSchema>['fact']>
type Header = { dm?: boolean; groupId?: string; universal?: boolean }

const common = (aggregateType: AggregateType, aggregateId: string, version: number) => ({
  id: newId('event'),
  aggregateType,
  aggregateId,
  version: BigInt(version),
  occurredAt: new Date(),
})
const toRoom = (roomId: string, envelope: Uint8Array) => ({
  envelope,
  audience: { case: 'roomId', value: roomId } as const,
})
const toUsers = (userIds: string[], envelope: Uint8Array) => ({
  envelope,
  audience: { case: 'users', value: { userIds } } as const,
})

/** A post in a channel. `bytes`: added to the event that clients receive. */
export function posted(roomId: string, roomSeq: number, bytes = 0): EventInit {
  const event = common('room', roomId, roomSeq)
  const value = { roomId, messageEventId: event.id, ...(bytes > 0 && { threadRootEventId: 'x'.repeat(bytes) }) }
  const envelope = encodeRealtimeEnvelope('message_posted', { id: event.id, createdAt: new Date(), value })
  return {
    ...event,
    kind: 'message_posted',
    fact: { case: 'messagePosted', value: { roomSeq: event.version } },
    deliveries: [toRoom(roomId, envelope)],
  }
}

export function postedTo(userIds: string[], roomId: string, roomSeq: number): EventInit {
  const { deliveries = [], ...event } = posted(roomId, roomSeq)
  return { ...event, deliveries: deliveries.map(({ envelope = new Uint8Array() }) => toUsers(userIds, envelope)) }
}

export function groupsUpdated(version: number): EventInit {
  const event = common('layout', 'server', version)
  const envelope = encodeRealtimeEnvelope('room_groups_updated', {
    id: event.id,
    createdAt: new Date(),
    value: { changed: true },
  })
  return {
    ...event,
    kind: 'room_groups_updated',
    fact: { case: 'layoutChanged', value: {} },
    deliveries: [{ envelope, audience: { case: 'everyone', value: true } }],
  }
}

export function profileUpdated(userId: string, version: number): EventInit {
  const event = common('user', userId, version)
  const value = { userId, login: userId, displayName: `name ${version}` }
  const envelope = encodeRealtimeEnvelope('user_profile_updated', { id: event.id, createdAt: new Date(), value })
  return {
    ...event,
    kind: 'user_profile_updated',
    fact: { case: 'userChanged', value: {} },
    deliveries: [{ envelope, audience: { case: 'everyone', value: true } }],
  }
}

export function accountDeleted(userId: string, version: number): EventInit {
  const event = common('user', userId, version)
  const envelope = encodeRealtimeEnvelope('server_member_deleted', {
    id: event.id,
    createdAt: new Date(),
    value: { userId },
  })
  return {
    ...event,
    kind: 'account_deleted',
    fact: { case: 'userChanged', value: { deleted: true } },
    deliveries: [{ envelope, audience: { case: 'everyone', value: true } }],
  }
}

/** A fact of this `version`, whose event is at the place `roomSeq`. */
export function roomFact(
  roomId: string,
  [roomSeq, version]: [number, number],
  fact: Fact,
  header: Header = {},
): EventInit {
  const event = common('room', roomId, roomSeq)
  const clientKind = clientKindOf(fact)
  const base = { id: event.id, createdAt: new Date() }
  const envelope =
    clientKind === 'room_universal_changed'
      ? encodeRealtimeEnvelope(clientKind, { ...base, value: { roomId, universal: header.universal ?? false } })
      : clientKind && encodeRealtimeEnvelope(clientKind, { ...base, value: { roomId } })
  const person = clientKind === 'user_joined_room' || clientKind === 'user_left_room' ? personOf(fact) : undefined
  return {
    ...event,
    kind: clientKind ?? 'room_fact',
    fact: {
      case: 'roomFact',
      value: { roomSeq: event.version, fact: { version: BigInt(version), fact }, header: { groupId: 'G1', ...header } },
    },
    deliveries: envelope ? [toRoom(roomId, envelope), ...(person ? [toUsers([person], envelope)] : [])] : [],
  }
}

function clientKindOf(fact: Fact) {
  switch (fact.case) {
    case 'joined':
      return 'user_joined_room'
    case 'left':
    case 'banned':
      return 'user_left_room'
    case 'universal':
      return 'room_universal_changed'
    case 'created':
      return 'room_created'
    default:
      return undefined
  }
}

const personOf = (fact: Fact): string | undefined =>
  fact.case === 'joined' || fact.case === 'left' || fact.case === 'banned' ? fact.value.userId : undefined

export function rolesChanged(userId: string, version: number, roleIds: string[]): EventInit {
  return {
    ...common('user', userId, version),
    kind: 'roles_changed',
    fact: { case: 'userRolesChanged', value: { roleIds, rolesVersion: BigInt(version) } },
  }
}

export function credentialsEnded(
  userId: string,
  version: number,
  ended: Partial<Pick<CredentialsEndedFact, 'credentialIds' | 'all'>> & { at?: Date },
): EventInit {
  const { at = new Date(), ...fact } = ended
  const event = { ...common('user', userId, version), occurredAt: at }
  const envelope = encodeRealtimeEnvelope('session_terminated', {
    id: event.id,
    createdAt: at,
    value: { reason: 'logout' },
  })
  return {
    ...event,
    kind: 'credentials_ended',
    fact: { case: 'credentialsEnded', value: { reason: 'logout', ...fact } },
    deliveries: [toUsers([userId], envelope)],
  }
}

export function everyoneDecision(
  revision: number,
  permission: string,
  roomId: string,
  decision: PermissionDecision,
): EventInit {
  const scope = { kind: PermissionScopeKind.ROOM, id: roomId }
  const decisions = [{ roleId: everyoneRoleId, permission, scope, decision }]
  return {
    ...common('policy', 'server', revision),
    kind: 'policy_changed',
    fact: { case: 'policy', value: { revision: BigInt(revision), decisions } },
  }
}
