import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { MyAccountService, UserService } from '@parley/contracts/api'
import { codeOf, makeUser, openEnv, signIn, type Env } from './_env.ts'
import { deliveriesOf, recorded, type Recorded } from './_recorded.ts'

const day = 24 * 3600_000

let env: Env
let events: Recorded
let now: Date

beforeAll(async () => {
  env = await openEnv()
  // Two processes: the database decides races between them.
  await env.start({}, { now: () => now })
  await env.start({}, { now: () => now })
  events = env.use(await recorded(env))
})

beforeEach(() => {
  now = new Date()
})

afterAll(async () => env[Symbol.asyncDispose]())

const account = (userId: string) => env.as(MyAccountService, { userId })
const update = (userId: string, names: { displayName?: string; login?: string }) => account(userId).updateProfile(names)
const shown = async (userId: string) =>
  (await env.as(UserService, { userId }).getUser({ target: { case: 'userId', value: userId } })).user?.user

describe('the display name', () => {
  test('is shown to everyone once it is changed', async () => {
    const userId = await makeUser(env, 'anna')
    expect((await update(userId, { displayName: ' Anna Äö 🎉 ' })).user).toMatchObject({ displayName: 'Anna Äö 🎉' })
    expect(await shown(userId)).toMatchObject({ login: 'anna', displayName: 'Anna Äö 🎉' })
    const kinds = await events.kindsOf(userId, 'user_display_name_changed')
    expect(kinds).toEqual(['user_created', 'user_profile_updated', 'user_display_name_changed'])
    const [, updated, note] = events.of(userId)
    expect(deliveriesOf(updated)).toMatchObject([
      {
        by: 'everyone',
        envelope: {
          id: updated?.id,
          actorId: userId,
          event: { case: 'userProfileUpdated', value: { userId, login: 'anna', displayName: 'Anna Äö 🎉' } },
        },
      },
    ])
    expect(updated?.actorId).toBe(userId)
    expect(JSON.stringify([updated?.fact, note?.fact], bigints)).not.toContain('Anna')
    expect(deliveriesOf(note)).toEqual([])
  })

  test('is the login when it is cleared', async () => {
    const userId = await makeUser(env, 'bert')
    await update(userId, { displayName: 'Bert B' })
    expect((await update(userId, { displayName: '' })).user).toMatchObject({ displayName: 'bert' })
    expect(await shown(userId)).toMatchObject({ displayName: 'bert' })
  })

  test('is validated', async () => {
    const userId = await makeUser(env, 'carl')
    for (const displayName of ['🎉', 'a\u200Bb', 'x'.repeat(33), 'a  b'])
      expect(await codeOf(update(userId, { displayName }))).toBe(Code.InvalidArgument)
    expect(await shown(userId)).toMatchObject({ displayName: 'carl' })
  })

  test('an update without a change is not announced', async () => {
    const userId = await makeUser(env, 'dora')
    await update(userId, { displayName: 'Dora' })
    await update(userId, { displayName: 'Dora' })
    await update(userId, { displayName: 'Dora D' })
    await events.kindsOf(userId, 'user_display_name_changed')
    await account(userId).updateSettings({ timezone: 'UTC' })
    const kinds = await events.kindsOf(userId, 'user_timezone_changed')
    expect(kinds.filter((kind) => kind === 'user_profile_updated')).toHaveLength(2)
  })
})

describe('the login', () => {
  test('changes once in 30 days', async () => {
    const userId = await makeUser(env, 'emil')
    expect((await update(userId, { login: 'emilio' })).user).toMatchObject({ login: 'emilio', displayName: 'emilio' })
    expect((await signIn(env, 'Emilio')).session.userId).toBe(userId)
    expect(await codeOf(signIn(env, 'emil'))).toBe(Code.Unauthenticated)
    now = new Date(now.getTime() + 30 * day - 1)
    expect(await codeOf(update(userId, { login: 'emil' }))).toBe(Code.FailedPrecondition)
    expect(await shown(userId)).toMatchObject({ login: 'emilio' })
    now = new Date(now.getTime() + 1)
    expect((await update(userId, { login: 'emil' })).user).toMatchObject({ login: 'emil' })
    expect(await events.kindsOf(userId, 'user_login_cooldown_started', 2)).toEqual([
      'user_created',
      'user_profile_updated',
      'user_login_changed',
      'user_login_cooldown_started',
      ...['login_succeeded', 'bearer_token_issued'],
      'user_profile_updated',
      'user_login_changed',
      'user_login_cooldown_started',
    ])
  })

  test('is returned to the viewer with the time of its change', async () => {
    const userId = await makeUser(env, 'emma')
    await update(userId, { login: 'emma2' })
    const { user } = await env.viewerOf(userId).getViewer({})
    expect(user?.lastLoginChange?.seconds).toBe(BigInt(Math.floor(now.getTime() / 1000)))
  })

  test('may change its letter case at any time, without a cooldown', async () => {
    const userId = await makeUser(env, 'fritz')
    await update(userId, { login: 'FRITZ' })
    expect((await update(userId, { login: 'fritzi' })).user).toMatchObject({ login: 'fritzi' })
    expect((await update(userId, { login: 'FritzI' })).user).toMatchObject({ login: 'FritzI' })
    expect((await signIn(env, 'fritzi')).session.userId).toBe(userId)
    expect(await codeOf(update(userId, { login: 'fritz' }))).toBe(Code.FailedPrecondition)
  })

  test.each([
    ['blocked', 'Root'],
    ['the name of a role', 'Admin'],
    ['a mention of everyone', 'here'],
    ['ending with a dot', 'gerd.'],
    ['with a space', 'g erd'],
    ['of one letter', 'g'],
  ])('is refused when %s', async (why, login) => {
    const userId = await makeUser(env, `refused-${why.length}`)
    expect(await codeOf(update(userId, { login, displayName: 'Gerd' }))).toBe(Code.InvalidArgument)
    expect(await shown(userId)).toMatchObject({ displayName: `refused-${why.length}` })
  })

  test('of another account is refused, and a former one is free', async () => {
    const [heinz, ida] = [await makeUser(env, 'heinz'), await makeUser(env, 'ida')]
    expect(await codeOf(update(ida, { login: 'HEINZ' }))).toBe(Code.AlreadyExists)
    await update(heinz, { login: 'heinz2' })
    expect((await update(ida, { login: 'heinz' })).user).toMatchObject({ login: 'heinz' })
    expect(await codeOf(update(heinz, { login: 'ida', displayName: 'H' }))).toBe(Code.FailedPrecondition)
  })

  test('goes to one of several concurrent callers', async () => {
    const racers = await Promise.all(Array.from({ length: 6 }, (_, n) => makeUser(env, `racer${n}`)))
    const codes = await Promise.all(racers.map((userId) => codeOf(update(userId, { login: 'winner' }))))
    expect(codes.filter((code) => code === undefined)).toHaveLength(1)
    expect(codes.filter((code) => code === Code.AlreadyExists)).toHaveLength(5)
  })

  test('is kept by its user if it is blocked later', async () => {
    const userId = await makeUser(env, 'kurt')
    env.neighbours.blocked.push('kurt')
    expect((await update(userId, { login: 'kurt', displayName: 'Kurt' })).user).toMatchObject({ displayName: 'Kurt' })
  })
})

test('an update needs a field and an existing user', async () => {
  const userId = await makeUser(env, 'lars')
  expect(await codeOf(update(userId, {}))).toBe(Code.InvalidArgument)
  expect(await codeOf(update('Unobody', { displayName: 'N' }))).toBe(Code.NotFound)
})

function bigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
