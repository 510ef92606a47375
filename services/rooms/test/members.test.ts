import { beforeAll, describe, expect, test } from '@jest/globals'
import { create } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { RoomMembershipKind, type DirectoryMember } from '@parley/contracts/api'
import { PolicyDecisionSchema, PolicyRoleSchema } from '@parley/contracts/internal'
import { eventually } from '@parley/testkit'
import { people } from '../src/store/schema.ts'
import { ban, createDm } from './_seeds.ts'
import { codeOf, lobbyOf, makeRoom, useEnv, person } from './_env.ts'

const env = useEnv()
let tea: string
let everyone: string
let closed: string
let direct: string

const deny = (of: { userId: string } | { roleId: string }) =>
  create(PolicyDecisionSchema, {
    ...of,
    permission: 'room.join',
    scope: { kind: PermissionScopeKind.SERVER },
    decision: PermissionDecision.DENY,
  })

beforeAll(async () => {
  env.accounts.people = [
    person('Uadmin', { roleIds: ['admin'] }),
    person('Ualice', { displayName: 'ZOË' }),
    person('Ubob', { displayName: 'Abel', roleIds: ['moderator'] }),
    person('Ucarol', { displayName: '' }),
    person('Ugone', { deleted: true }),
    person('Ubanned'),
    person('Uunwanted'),
    person('Uguest', { roleIds: ['guest'] }),
    person('Uowner', { roleIds: ['owner', 'guest'] }),
  ]
  env.admin.policy.decisions.push(deny({ userId: 'Uunwanted' }), deny({ roleId: 'guest' }))
  env.admin.policy.roles.push(create(PolicyRoleSchema, { id: 'guest', name: 'guest', displayName: 'Guest' }))
  await env.start()
  await lobbyOf(env)
  tea = await makeRoom(env, 'tea')
  everyone = await makeRoom(env, 'everyone', { universal: true })
  closed = await makeRoom(env, 'closed')
  await env.as('Uowner', 'owner').rooms.archiveRoom({ roomId: closed })
  direct = await createDm(env, ['Ualice', 'Ubob'])
  for (const userId of ['Ualice', 'Ubob', 'Ucarol']) await env.as(userId).rooms.joinRoom({ roomId: tea })
  await ban(env.db, everyone, 'Ubanned')
  await eventually(async () => (await env.db.select().from(people)).length === env.accounts.people.length)
})

const alice = () => env.as('Ualice').rooms
const admin = () => env.as('Uadmin', 'admin').rooms
const idsOf = (members: DirectoryMember[]) => members.map(({ user }) => user?.id)

describe('ListMembers', () => {
  test('lists explicit members by display name or else login, ignoring case', async () => {
    const { members, page } = await alice().listMembers({ roomId: tea })
    expect(idsOf(members)).toEqual(['Ubob', 'Uadmin', 'Ucarol', 'Ualice'])
    expect(members[0]).toMatchObject({ user: { login: 'bob', displayName: 'Abel' }, roles: ['moderator'] })
    expect(page).toMatchObject({ totalCount: 4n, hasMore: false, nextCursor: '' })
  })

  test('searches login and display name', async () => {
    const found = async (search: string) => (await alice().listMembers({ roomId: tea, search })).members
    expect(idsOf(await found(' BEL '))).toEqual(['Ubob'])
    expect(idsOf(await found('OB'))).toEqual(['Ubob'])
    expect(idsOf(await found('oë'))).toEqual(['Ualice'])
    expect(idsOf(await found('b'))).toEqual(['Ubob'])
    expect(idsOf(await found('aro'))).toEqual(['Ucarol'])
    expect(idsOf(await found('carol'))).toEqual(['Ucarol'])
    expect(idsOf(await found('%'))).toEqual([])
    // A match cannot span login and display name.
    expect(idsOf(await found('bob\nabel'))).toEqual([])
    expect(await codeOf(found('x'.repeat(101)))).toBe(Code.InvalidArgument)
  })

  test('pages by offset and by cursor', async () => {
    const first = await alice().listMembers({ roomId: tea, page: { limit: 3 } })
    expect(first.page).toMatchObject({ totalCount: 4n, hasMore: true })
    const cursor = first.page?.nextCursor ?? ''
    const second = await alice().listMembers({ roomId: tea, page: { limit: 3, cursor } })
    expect(idsOf(second.members)).toEqual(['Ualice'])
    expect(second.page).toMatchObject({ totalCount: 4n, hasMore: false, nextCursor: '' })
    const skipped = await alice().listMembers({ roomId: tea, page: { limit: 2, offset: 1 } })
    expect(idsOf(skipped.members)).toEqual(['Uadmin', 'Ucarol'])
    const past = await alice().listMembers({ roomId: tea, page: { offset: 9 } })
    expect(past).toMatchObject({ members: [], page: { hasMore: false } })
    expect(await codeOf(alice().listMembers({ roomId: tea, page: { cursor: 'nonsense' } }))).toBe(Code.InvalidArgument)
    for (const parts of [
      ['a', 'b', 'c'],
      ['a', 'b', 'c', 'd'],
      ['a', 'b', '\0', '4'],
      ['a', 'b', 'c', '4', '5'],
    ]) {
      const made = Buffer.from(JSON.stringify(parts)).toString('base64url')
      expect(await codeOf(alice().listMembers({ roomId: tea, page: { cursor: made } }))).toBe(Code.InvalidArgument)
    }
    expect(await codeOf(alice().listMembers({ roomId: tea, page: { limit: 501 } }))).toBe(Code.InvalidArgument)
  })

  test('of a universal room lists explicit members, or effective ones if requested', async () => {
    expect(idsOf((await alice().listMembers({ roomId: everyone })).members)).toEqual([])
    const { members } = await alice().listMembers({ roomId: everyone, membership: RoomMembershipKind.EFFECTIVE })
    expect(idsOf(members)).toEqual(['Ubob', 'Uadmin', 'Ucarol', 'Uowner', 'Ualice'])
  })

  test('needs membership', async () => {
    expect(await codeOf(env.as('Uguest', 'guest').rooms.listMembers({ roomId: tea }))).toBe(Code.PermissionDenied)
    expect(await codeOf(alice().listMembers({ roomId: 'Rnone' }))).toBe(Code.NotFound)
  })
})

describe('GetMember and BatchGetMembers', () => {
  test('find effective members', async () => {
    const { member } = await alice().getMember({ roomId: everyone, userId: 'Ubob' })
    expect(member).toMatchObject({ user: { id: 'Ubob' }, roles: ['moderator'] })
    const userIds = ['Ucarol', 'Unobody', 'Ugone', 'Uguest', 'Ubob', 'Ucarol']
    expect(idsOf((await alice().batchGetMembers({ roomId: tea, userIds })).members)).toEqual(['Ucarol', 'Ubob'])
  })

  test.each(['Unobody', 'Ugone', 'Ubanned', 'Uunwanted', 'Uguest'])('do not find %s', async (userId) => {
    expect(await codeOf(alice().getMember({ roomId: everyone, userId }))).toBe(Code.NotFound)
  })

  test('need membership', async () => {
    const guest = env.as('Uguest', 'guest').rooms
    expect(await codeOf(guest.getMember({ roomId: tea, userId: 'Ualice' }))).toBe(Code.PermissionDenied)
    expect(await codeOf(guest.batchGetMembers({ roomId: tea, userIds: ['Ualice'] }))).toBe(Code.PermissionDenied)
  })
})

describe('AddMember and RemoveMember', () => {
  test('begin and end a membership, and may be repeated', async () => {
    const { member } = await admin().addMember({ roomId: tea, userId: 'Uguest' })
    expect(member).toMatchObject({ user: { id: 'Uguest' }, roles: ['guest'] })
    expect(env.messaging.factsOf(tea).at(-1)).toMatchObject({ actorId: 'Uadmin', fact: { case: 'joined' } })
    await admin().addMember({ roomId: tea, userId: 'Uguest' })
    expect(await admin().removeMember({ roomId: tea, userId: 'Uguest' })).toMatchObject({ removed: true })
    expect(env.messaging.waitedForStream(tea)).toBe(true)
    expect(await admin().removeMember({ roomId: tea, userId: 'Uguest' })).toMatchObject({ removed: false })
    expect(env.messaging.kindsOf(tea).slice(-2)).toEqual(['joined', 'left'])
  })

  test.each<[string, () => string, string, Code]>([
    ['an unknown room', () => 'Rnone', 'Ubob', Code.NotFound],
    ['a direct message of others', () => direct, 'Ubob', Code.NotFound],
    ['a universal room', () => everyone, 'Ubob', Code.InvalidArgument],
    ['an archived room', () => closed, 'Ubob', Code.FailedPrecondition],
  ])('refuse %s', async (_what, room, userId, code) => {
    const roomId = room()
    expect(await codeOf(admin().addMember({ roomId, userId }))).toBe(code)
    expect(await codeOf(admin().removeMember({ roomId, userId }))).toBe(code)
  })

  test('need room.manage, and refuse to add unknown or banned people', async () => {
    expect(await codeOf(alice().addMember({ roomId: tea, userId: 'Uguest' }))).toBe(Code.PermissionDenied)
    expect(await codeOf(alice().removeMember({ roomId: tea, userId: 'Ubob' }))).toBe(Code.PermissionDenied)
    expect(await codeOf(admin().addMember({ roomId: tea, userId: 'Unobody' }))).toBe(Code.NotFound)
    expect(await codeOf(admin().addMember({ roomId: tea, userId: 'Ugone' }))).toBe(Code.NotFound)
    await ban(env.db, tea, 'Ubanned')
    expect(await codeOf(admin().addMember({ roomId: tea, userId: 'Ubanned' }))).toBe(Code.PermissionDenied)
  })
})
