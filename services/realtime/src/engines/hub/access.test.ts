import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { defaultPolicy, policyFrom, type Policy } from '@parley/permissions'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { EventSchema, type RoomFactSchema } from '@parley/contracts/internal'
import { Access, type AccessChange } from './access.ts'
import { UserAccess } from './user-access.ts'

type Fact = NonNullable<MessageInitShape<typeof RoomFactSchema>['fact']>

let policy: Policy
let now: number
let access: Access

const fact = (
  roomId: string,
  version: bigint,
  value: Fact,
  header: { universal?: boolean; dm?: boolean; groupId?: string } = {},
) =>
  create(EventSchema, {
    aggregateType: 'room',
    aggregateId: roomId,
    fact: { case: 'roomFact', value: { fact: { version, fact: value }, header: { groupId: 'G1', ...header } } },
  })
const joined = (roomId: string, version: bigint, userId: string) =>
  fact(roomId, version, { case: 'joined', value: { userId } })
const left = (roomId: string, version: bigint, userId: string) =>
  fact(roomId, version, { case: 'left', value: { userId } })

function addUser(userId: string, roleIds: string[] = []): UserAccess {
  const added = new UserAccess(userId, roleIds, 1n)
  added.loaded = true
  access.users.set(userId, added)
  return added
}

function applyChange(change: AccessChange): string[] {
  for (const gain of change.gains) gain.user.rooms.add(gain.roomId)
  for (const loss of change.losses) loss.user.rooms.delete(loss.roomId)
  return [
    ...change.gains.map((gain) => `${gain.user.userId} +${gain.roomId}`),
    ...change.losses.map((loss) => `${loss.user.userId} -${loss.roomId}`),
  ]
}
const apply = (event: ReturnType<typeof fact>) => applyChange(access.apply(event))

beforeEach(() => {
  policy = policyFrom(defaultPolicy())
  now = Date.parse('2030-01-01T00:00:00Z')
  access = new Access(
    () => policy,
    () => now,
  )
})

describe('explicit members', () => {
  test('receive the events of a room from joining to leaving', () => {
    addUser('U1')
    addUser('U2')
    expect(apply(joined('R1', 2n, 'U1'))).toEqual(['U1 +R1'])
    expect(apply(left('R1', 3n, 'U1'))).toEqual(['U1 -R1'])
  })

  test('are not restored by an old fact', () => {
    addUser('U1')
    apply(joined('R1', 2n, 'U1'))
    apply(left('R1', 5n, 'U1'))
    expect(apply(joined('R1', 4n, 'U1'))).toEqual([])
  })

  test('of direct messages do not subscribe to a room topic', () => {
    addUser('U1')
    expect(apply(fact('R1', 2n, { case: 'joined', value: { userId: 'U1' } }, { dm: true }))).toEqual([])
  })

  test('join and leave topics only after their standings are loaded', () => {
    const late = addUser('U1')
    late.loaded = false
    expect(apply(left('R1', 6n, 'U1'))).toEqual([])
    late.setMember('R1', true, 2n, false) // the response, older than the event
    late.setMember('R2', true, 2n, false)
    late.loaded = true
    expect(applyChange(access.recomputeFor(late))).toEqual(['U1 +R2'])
  })
})

describe('universal rooms', () => {
  test('are open to everybody who may join', () => {
    addUser('U1')
    expect(apply(fact('R1', 3n, { case: 'universal', value: { universal: true } }, { universal: true }))).toEqual([
      'U1 +R1',
    ])
    expect(apply(fact('R1', 4n, { case: 'universal', value: { universal: false } }, { universal: false }))).toEqual([
      'U1 -R1',
    ])
  })

  test('keep their explicit members when they are no longer universal', () => {
    addUser('U1')
    addUser('U2')
    apply(fact('R1', 1n, { case: 'created', value: {} }, { universal: true }))
    apply(fact('R1', 2n, { case: 'joined', value: { userId: 'U1' } }, { universal: true }))
    expect(apply(fact('R1', 3n, { case: 'universal', value: { universal: false } }))).toEqual(['U2 -R1'])
  })

  test('are closed to people who may not join', () => {
    addUser('U1')
    addUser('U2', ['owner'])
    apply(fact('R1', 1n, { case: 'created', value: {} }, { universal: true }))
    const denied = defaultPolicy()
    denied.decisions.push({
      $typeName: 'svc.internal.v1.PolicyDecision',
      roleId: 'everyone',
      userId: '',
      permission: 'room.join',
      scope: { $typeName: 'svc.admin.v1.PermissionScope', kind: PermissionScopeKind.ROOM, id: 'R1' },
      decision: PermissionDecision.DENY,
    })
    policy = policyFrom(denied)
    expect(applyChange(access.recompute())).toEqual(['U1 -R1'])
  })

  test('apply the decisions of their new group when they are moved', () => {
    addUser('U1')
    apply(fact('R1', 1n, { case: 'created', value: {} }, { universal: true }))
    const denied = defaultPolicy()
    denied.decisions.push({
      $typeName: 'svc.internal.v1.PolicyDecision',
      roleId: 'everyone',
      userId: '',
      permission: 'room.join',
      scope: { $typeName: 'svc.admin.v1.PermissionScope', kind: PermissionScopeKind.GROUP, id: 'G2' },
      decision: PermissionDecision.DENY,
    })
    policy = policyFrom(denied)
    const moved = (version: bigint, groupId: string) =>
      apply(fact('R1', version, { case: 'moved', value: { groupId } }, { universal: true, groupId }))
    expect(moved(2n, 'G2')).toEqual(['U1 -R1'])
    expect(moved(3n, 'G1')).toEqual(['U1 +R1'])
  })

  test('are closed to a user who loses the role that allows joining', () => {
    const member = addUser('U1', ['owner'])
    apply(fact('R1', 1n, { case: 'created', value: {} }, { universal: true }))
    const denied = defaultPolicy()
    denied.decisions = []
    policy = policyFrom(denied)
    const change = create(EventSchema, {
      aggregateType: 'user',
      aggregateId: 'U1',
      fact: { case: 'userRolesChanged', value: { roleIds: [], rolesVersion: 2n } },
    })
    expect(apply(change)).toEqual(['U1 -R1'])
    expect(member.roleIds).toEqual([])
  })
})

describe('bans', () => {
  test('end delivery at once, until they are lifted', () => {
    addUser('U1')
    apply(fact('R1', 1n, { case: 'created', value: {} }, { universal: true }))
    expect(apply(fact('R1', 2n, { case: 'banned', value: { userId: 'U1' } }, { universal: true }))).toEqual(['U1 -R1'])
    expect(apply(fact('R1', 3n, { case: 'unbanned', value: { userId: 'U1' } }, { universal: true }))).toEqual([
      'U1 +R1',
    ])
  })

  test('have no effect after they expire', () => {
    const banned = addUser('U1')
    const expiresAt = timestampFromDate(new Date(now + 1_000))
    apply(fact('R1', 1n, { case: 'created', value: {} }, { universal: true }))
    apply(fact('R1', 2n, { case: 'banned', value: { userId: 'U1', expiresAt } }, { universal: true }))
    now += 2_000
    expect(applyChange(access.recomputeFor(banned))).toEqual(['U1 +R1'])
  })
})
