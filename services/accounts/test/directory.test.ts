import { Code } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { MyAccountService, UserService, type ListUsersResponse } from '@parley/contracts/api'
import { eq, sql } from 'drizzle-orm'
import { users } from '../src/store/schema.ts'
import { codeOf, makeUser, useEnv } from './_env.ts'

const env = useEnv()
let now: Date
const ids = new Map<string, string>()

beforeAll(async () => {
  now = new Date('2024-01-01T00:00:00Z')
  await env.start({}, { now: () => now })
  for (const login of ['zoe', 'Anna', 'bert', 'carl', 'dora', 'ERIK', 'fritz', 'gone']) {
    ids.set(login, await makeUser(env, login, { roleNames: login === 'Anna' ? ['owner', 'moderator'] : [] }))
    now = new Date(now.getTime() + 1000)
  }
  const rename = (login: string, displayName: string) =>
    env.as(MyAccountService, { userId: idOf(login) }).updateProfile({ displayName })
  await rename('bert', 'Łukasz_50')
  await rename('carl', 'Müller')
  await env.db
    .update(users)
    .set({ deletedAt: new Date() })
    .where(eq(users.id, idOf('gone')))
})

const idOf = (login: string) => ids.get(login) ?? ''
const directory = () => env.as(UserService, { userId: idOf('zoe') })
const logins = ({ users: found }: Pick<ListUsersResponse, 'users'>) => found.map(({ user }) => user?.login)

describe('the list of people', () => {
  test('is ordered by time of creation, and leaves out deleted people', async () => {
    const found = await directory().listUsers({})
    expect(logins(found)).toEqual(['zoe', 'Anna', 'bert', 'carl', 'dora', 'ERIK', 'fritz'])
    expect(found.page).toMatchObject({ totalCount: 7n, hasMore: false, nextCursor: '' })
    expect(found.users[1]).toMatchObject({ roles: ['moderator', 'owner'], user: { id: idOf('Anna') } })
    expect(found.users[1]?.createdAt?.seconds).toBe(BigInt(Date.parse('2024-01-01T00:00:01Z') / 1000))
  })

  test.each([
    ['a', ['Anna', 'bert', 'carl', 'dora']],
    ['  ANNA ', ['Anna']],
    ['erik', ['ERIK']],
    ['łukasz', ['bert']],
    ['MÜLL', ['carl']],
    ['50', ['bert']],
    ['%', []],
    ['_', ['bert']],
    ['\\', []],
    ['gone', []],
    ['Deleted', []],
  ])('searches for "%s" in logins and display names', async (search, expected) => {
    const found = await directory().listUsers({ search })
    expect(logins(found)).toEqual(expected)
    expect(found.page).toMatchObject({ totalCount: BigInt(expected.length), hasMore: false })
  })

  test.each(['', 'r'])('can be paged by cursor and by offset, with the search "%s"', async (search) => {
    const whole = logins(await directory().listUsers({ search }))
    const byCursor: unknown[] = []
    for (let cursor = ''; ;) {
      const found = await directory().listUsers({ search, page: { limit: 2, cursor, offset: 1 } })
      if (cursor === '') expect(logins(found)).toEqual(whole.slice(1, 3))
      byCursor.push(...logins(found))
      expect(found.page?.totalCount).toBe(BigInt(whole.length))
      expect(found.page?.hasMore).toBe(found.page?.nextCursor !== '')
      if (!found.page?.hasMore) break
      cursor = found.page.nextCursor
    }
    expect(byCursor).toEqual(whole.slice(1))
    const byOffset = await directory().listUsers({ search, page: { limit: 2, offset: whole.length - 1 } })
    expect(logins(byOffset)).toEqual(whole.slice(-1))
    expect(byOffset.page?.hasMore).toBe(false)
    const beyond = await directory().listUsers({ search, page: { offset: 100 } })
    expect(beyond).toMatchObject({ users: [], page: { totalCount: BigInt(whole.length), hasMore: false } })
  })

  test('has 20 people per page by default, and at most 500', async () => {
    await env.db.transaction(async (tx) => {
      await tx.execute(sql`
        insert into users (id, login, version, roles_version, created_at)
        select 'Umany' || n, 'many' || n, 1, 1, '2030-01-01' from generate_series(1, 510) as n`)
    })
    const count = async (limit: number) => (await directory().listUsers({ page: { limit } })).users.length
    expect(await count(0)).toBe(20)
    expect(await count(500)).toBe(500)
    expect(await codeOf(count(501))).toBe(Code.InvalidArgument)
    expect(await codeOf(count(-1))).toBe(Code.InvalidArgument)
    // Equal times are ordered by login.
    const { users: same } = await directory().listUsers({ search: 'many', page: { limit: 3 } })
    expect(same.map(({ user }) => user?.login)).toEqual(['many1', 'many10', 'many100'])
    await env.db.execute(sql`delete from users where id like 'Umany%'`)
  })

  test('refuses invalid cursors and long searches', async () => {
    for (const cursor of [
      'x',
      Buffer.from('["a"]').toString('base64url'),
      Buffer.from('["a","b"]').toString('base64url'),
    ])
      expect(await codeOf(directory().listUsers({ page: { cursor } }))).toBe(Code.InvalidArgument)
    expect(await codeOf(directory().listUsers({ search: 'x'.repeat(101) }))).toBe(Code.InvalidArgument)
  })
})

describe('one user', () => {
  test('is found by id, and by login in any letter case', async () => {
    const byId = await directory().getUser({ target: { case: 'userId', value: idOf('Anna') } })
    expect(byId.user).toMatchObject({ user: { login: 'Anna' }, roles: ['moderator', 'owner'] })
    expect(await directory().getUser({ target: { case: 'login', value: 'aNNa' } })).toEqual(byId)
  })

  test('is not found if the account is deleted', async () => {
    expect(await codeOf(directory().getUser({ target: { case: 'userId', value: idOf('gone') } }))).toBe(Code.NotFound)
    expect(await codeOf(directory().getUser({ target: { case: 'login', value: 'gone' } }))).toBe(Code.NotFound)
    const { users: found } = await directory().batchGetUsers({ userIds: [idOf('gone'), idOf('Anna')] })
    expect(found.map(({ user }) => user?.id)).toEqual([idOf('Anna')])
  })

  test('is not found if unknown; an empty request is refused', async () => {
    expect(await codeOf(directory().getUser({ target: { case: 'userId', value: 'Unobody' } }))).toBe(Code.NotFound)
    expect(await codeOf(directory().getUser({ target: { case: 'login', value: 'no body' } }))).toBe(Code.NotFound)
    expect(await codeOf(directory().getUser({}))).toBe(Code.InvalidArgument)
  })
})

test('BatchGetUsers returns each known user once, in the requested order', async () => {
  const wanted = ['dora', 'Anna', 'dora', 'zoe'].map(idOf)
  const found = await directory().batchGetUsers({ userIds: [...wanted, 'Unobody'] })
  expect(logins(found)).toEqual(['dora', 'Anna', 'zoe'])
  const named = await directory().batchGetUsers({
    ...{ userIds: [idOf('dora')], logins: ['ZOE', 'no body', 'nobody', 'Anna', 'dora', 'gone', 'owner'] },
  })
  expect(logins(named)).toEqual(['dora', 'zoe', 'Anna'])
  expect(await codeOf(directory().batchGetUsers({ userIds: [] }))).toBe(Code.InvalidArgument)
  const many = Array.from({ length: 101 }, (_, n) => `U${n}`)
  expect(await codeOf(directory().batchGetUsers({ userIds: many }))).toBe(Code.InvalidArgument)
})

test('a caller with too many concurrent calls of ListUsers is refused, and another caller is not', async () => {
  const list = (login: string) =>
    codeOf(env.as(UserService, { userId: idOf(login) }).listUsers({ search: 'a', page: { limit: 500 } }))
  const codes = Array.from({ length: 200 }, () => list('bert'))
  expect(await list('carl')).toBeUndefined()
  expect(new Set(await Promise.all(codes))).toEqual(new Set([undefined, Code.ResourceExhausted]))
})
