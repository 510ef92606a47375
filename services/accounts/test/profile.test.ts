import { Code } from '@connectrpc/connect'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { MyAccountService, UserService } from '@parley/contracts/api'
import { codeOf, makeUser, useEnv, signIn } from './_env.ts'
import { deliveriesOf, recordUserEvents, type UserEvents } from './_user-events.ts'

const day = 24 * 3600_000

const env = useEnv()
let events: UserEvents
let now: Date

beforeAll(async () => {
  // Two processes: the database decides races between them.
  await env.start({}, { now: () => now })
  await env.start({}, { now: () => now })
  events = env.use(await recordUserEvents(env))
})

beforeEach(() => {
  now = new Date()
})

const account = (userId: string) => env.as(MyAccountService, { userId })
const update = (userId: string, names: { displayName?: string; login?: string }) => account(userId).updateProfile(names)
const profileOf = async (userId: string) =>
  (await env.as(UserService, { userId }).getUser({ target: { case: 'userId', value: userId } })).user?.user

describe('the display name', () => {
  test('is shown and announced to everyone once it is changed', async () => {
    const userId = await makeUser(env, 'anna')
    expect((await update(userId, { displayName: ' Anna Äö 🎉 ' })).user).toMatchObject({ displayName: 'Anna Äö 🎉' })
    expect(await profileOf(userId)).toMatchObject({ login: 'anna', displayName: 'Anna Äö 🎉' })
    const kinds = await events.waitFor(userId, 'user_display_name_changed')
    expect(kinds).toEqual(['user_created', 'user_profile_updated', 'user_display_name_changed'])
    const [, updated, auditEvent] = events.of(userId)
    expect(deliveriesOf(updated)).toMatchObject([
      {
        to: 'everyone',
        envelope: {
          id: updated?.id,
          actorId: userId,
          event: { case: 'userProfileUpdated', value: { userId, login: 'anna', displayName: 'Anna Äö 🎉' } },
        },
      },
    ])
    expect(updated?.actorId).toBe(userId)
    expect(JSON.stringify([updated?.fact, auditEvent?.fact], bigintToString)).not.toContain('Anna')
    expect(deliveriesOf(auditEvent)).toEqual([])
  })

  test('is the login when it is cleared', async () => {
    const userId = await makeUser(env, 'bert')
    await update(userId, { displayName: 'Bert B' })
    expect((await update(userId, { displayName: '' })).user).toMatchObject({ displayName: 'bert' })
    expect(await profileOf(userId)).toMatchObject({ displayName: 'bert' })
  })

  test('is refused if it is invalid', async () => {
    const userId = await makeUser(env, 'carl')
    for (const displayName of ['🎉', 'a\u200Bb', 'x'.repeat(33), 'a  b'])
      expect(await codeOf(update(userId, { displayName }))).toBe(Code.InvalidArgument)
    expect(await profileOf(userId)).toMatchObject({ displayName: 'carl' })
  })

  test('is not announced if the update does not change it', async () => {
    const userId = await makeUser(env, 'dora')
    await update(userId, { displayName: 'Dora' })
    await update(userId, { displayName: 'Dora' })
    await update(userId, { displayName: 'Dora D' })
    await events.waitFor(userId, 'user_display_name_changed')
    await account(userId).updateSettings({ timezone: 'UTC' })
    const kinds = await events.waitFor(userId, 'user_timezone_changed')
    expect(kinds.filter((kind) => kind === 'user_profile_updated')).toHaveLength(2)
  })
})

describe('the login', () => {
  test('can be changed once in 30 days', async () => {
    const userId = await makeUser(env, 'emil')
    expect((await update(userId, { login: 'emilio' })).user).toMatchObject({ login: 'emilio', displayName: 'emilio' })
    expect((await signIn(env, 'Emilio')).session.userId).toBe(userId)
    expect(await codeOf(signIn(env, 'emil'))).toBe(Code.Unauthenticated)
    now = new Date(now.getTime() + 30 * day - 1)
    expect(await codeOf(update(userId, { login: 'emil' }))).toBe(Code.FailedPrecondition)
    expect(await profileOf(userId)).toMatchObject({ login: 'emilio' })
    now = new Date(now.getTime() + 1)
    expect((await update(userId, { login: 'emil' })).user).toMatchObject({ login: 'emil' })
    expect(await events.waitFor(userId, 'user_login_cooldown_started', 2)).toEqual([
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

  test('may be changed in letter case at any time', async () => {
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
    ['a mention of everybody', 'here'],
    ['one that ends with a dot', 'gerd.'],
    ['one with a space', 'g erd'],
    ['a single letter', 'g'],
  ])('is refused if it is %s', async (why, login) => {
    const userId = await makeUser(env, `refused-${why.length}`)
    expect(await codeOf(update(userId, { login, displayName: 'Gerd' }))).toBe(Code.InvalidArgument)
    expect(await profileOf(userId)).toMatchObject({ displayName: `refused-${why.length}` })
  })

  test('cannot be the login of another account, unless that account has given it up', async () => {
    const [heinz, ida] = [await makeUser(env, 'heinz'), await makeUser(env, 'ida')]
    expect(await codeOf(update(ida, { login: 'HEINZ' }))).toBe(Code.AlreadyExists)
    await update(heinz, { login: 'heinz2' })
    expect((await update(ida, { login: 'heinz' })).user).toMatchObject({ login: 'heinz' })
    expect(await codeOf(update(heinz, { login: 'ida', displayName: 'H' }))).toBe(Code.FailedPrecondition)
  })

  test('is given to only one of several concurrent callers', async () => {
    const racers = await Promise.all(Array.from({ length: 6 }, (_, n) => makeUser(env, `racer${n}`)))
    const codes = await Promise.all(racers.map((userId) => codeOf(update(userId, { login: 'winner' }))))
    expect(codes.filter((code) => code === undefined)).toHaveLength(1)
    expect(codes.filter((code) => code === Code.AlreadyExists)).toHaveLength(5)
  })

  test('may be kept if it is blocked later', async () => {
    const userId = await makeUser(env, 'kurt')
    env.fakes.blocked.push('kurt')
    expect((await update(userId, { login: 'kurt', displayName: 'Kurt' })).user).toMatchObject({ displayName: 'Kurt' })
  })
})

test('an update of a profile needs a field and an existing user', async () => {
  const userId = await makeUser(env, 'lars')
  expect(await codeOf(update(userId, {}))).toBe(Code.InvalidArgument)
  expect(await codeOf(update('Unobody', { displayName: 'N' }))).toBe(Code.NotFound)
})

function bigintToString(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
