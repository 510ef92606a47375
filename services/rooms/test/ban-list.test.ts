import { beforeAll, expect, test } from '@jest/globals'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code } from '@connectrpc/connect'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ListBansRequestSchema } from '@parley/contracts/api'
import { ban, decisionFor, createDm } from './_seeds.ts'
import { codeOf, lobbyOf, makeRoom, useEnv, person } from './_env.ts'

const env = useEnv()
let tea: string
let coffee: string
let direct: string

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
const banned = ['Uann', 'Uben', 'Ucid', 'Udan']

beforeAll(async () => {
  env.accounts.people = [...banned, 'Uold', 'Uumod'].map((userId) => person(userId))
  env.accounts.people.push(person('Umod', { roleIds: ['moderator'] }))
  env.admin.policy.decisions.push(
    decisionFor({ userId: 'Unotall', permission: 'room.ban-member', deny: true }),
    decisionFor({ userId: 'Ulocal', permission: 'room.ban-member', groupId: 'Gsome' }),
  )
  await env.start()
  await lobbyOf(env)
  ;[tea, coffee] = [await makeRoom(env, 'tea'), await makeRoom(env, 'coffee', { universal: true })]
  direct = await createDm(env, ['Umod', 'Uann'])
  await ban(env.db, tea, 'Uann', { at: ago(4) })
  await ban(env.db, coffee, 'Uben', { at: ago(3), expiresAt: new Date(Date.now() + 3600_000) })
  const at = ago(2)
  await ban(env.db, tea, 'Ucid', { at })
  await ban(env.db, tea, 'Udan', { at })
  await ban(env.db, tea, 'Uold', { at: ago(1), expiresAt: new Date(Date.now() - 1000) })
})

const moderator = () => env.as('Umod', 'moderator').rooms
async function list(request: MessageInitShape<typeof ListBansRequestSchema> = {}) {
  const { bans, page } = await moderator().listBans(request)
  return { ids: bans.map(({ userId }) => userId), bans, page }
}

test('ListBans lists active bans of all rooms, newest first', async () => {
  const { ids, bans, page } = await list()
  expect(ids).toEqual(['Udan', 'Ucid', 'Uben', 'Uann'])
  expect(page).toMatchObject({ totalCount: 4n, hasMore: false, nextCursor: '' })
  expect(bans[3]).toMatchObject({
    roomId: tea,
    room: { id: tea, name: 'tea' },
    user: { user: { id: 'Uann', login: 'ann' } },
    moderatorId: 'Umod',
    moderator: { user: { login: 'mod' }, roles: ['moderator'] },
    reason: 'noise',
  })
  expect(bans[3]?.expiresAt).toBeUndefined()
  expect(bans[2]?.expiresAt?.seconds).toBeGreaterThan(timestampFromDate(new Date()).seconds)
})

test('ListBans lists the bans of one room', async () => {
  const { ids, page } = await list({ roomId: tea })
  expect(ids).toEqual(['Udan', 'Ucid', 'Uann'])
  expect(page).toMatchObject({ totalCount: 3n })
})

test('a lifted ban is not listed', async () => {
  await ban(env.db, coffee, 'Uumod')
  expect((await list({ roomId: coffee })).ids).toEqual(['Uumod', 'Uben'])
  await moderator().unbanMember({ roomId: coffee, userId: 'Uumod', reason: 'peace' })
  expect((await list({ roomId: coffee })).ids).toEqual(['Uben'])
})

test('a reason is trimmed', async () => {
  await moderator().banMember({ roomId: coffee, userId: 'Uumod', reason: ' \t their noise\n' })
  const { bans } = await list({ roomId: coffee })
  expect(bans.find(({ userId }) => userId === 'Uumod')).toMatchObject({ reason: 'their noise' })
  await moderator().unbanMember({ roomId: coffee, userId: 'Uumod', reason: 'peace' })
})

test('ListBans returns pages by cursor and by offset', async () => {
  const first = await list({ page: { limit: 1 } })
  expect(first.page).toMatchObject({ totalCount: 4n, hasMore: true })
  const second = await list({ page: { limit: 2, cursor: first.page?.nextCursor ?? '' } })
  expect([...first.ids, ...second.ids]).toEqual(['Udan', 'Ucid', 'Uben'])
  const third = await list({ page: { limit: 2, cursor: second.page?.nextCursor ?? '' } })
  expect(third).toMatchObject({ ids: ['Uann'], page: { hasMore: false, nextCursor: '' } })
  expect((await list({ page: { limit: 2, offset: 1 } })).ids).toEqual(['Ucid', 'Uben'])
  expect((await list({ page: { offset: 9 } })).ids).toEqual([])
})

test('a page has 50 bans by default, and at most 100', async () => {
  const room = await makeRoom(env, 'crowded')
  const people = Array.from({ length: 101 }, (_, n) => `Ucrowd${n}`)
  for (const userId of people) await ban(env.db, room, userId)
  expect((await list({ roomId: room })).ids).toHaveLength(50)
  expect((await list({ roomId: room, page: { limit: 500 } })).ids).toHaveLength(100)
})

test.each<[string, () => Promise<unknown>, Code]>([
  ['callers without room.ban-member', () => env.as('Ualice').rooms.listBans({}), Code.PermissionDenied],
  [
    'callers to whom room.ban-member is denied',
    () => env.as('Unotall', 'moderator').rooms.listBans({}),
    Code.PermissionDenied,
  ],
  [
    'callers who have room.ban-member only in a group',
    () => env.as('Ulocal').rooms.listBans({ roomId: tea }),
    Code.PermissionDenied,
  ],
  ['an unknown room', () => list({ roomId: 'Rnone' }), Code.NotFound],
  ['a direct message', () => list({ roomId: direct }), Code.InvalidArgument],
  ['a bad cursor', () => list({ page: { cursor: 'nonsense' } }), Code.InvalidArgument],
  ['a page limit above 500', () => list({ page: { limit: 501 } }), Code.InvalidArgument],
])('ListBans refuses %s', async (_what, call, code) => {
  expect(await codeOf(call())).toBe(code)
})
