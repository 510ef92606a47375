import { fromBinary } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { AdminUserService } from '@parley/contracts/admin'
import { EventBatchSchema } from '@parley/contracts/internal'
import { eventually, recordEvents } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import {
  callerOf,
  callersOf,
  codeOf,
  disableStreamAcks,
  lastOnStream,
  makeUser,
  openEnv,
  useEnv,
  password,
  signIn,
} from './_env.ts'

const env = useEnv()

beforeAll(async () => {
  // Two processes: the database decides races between them.
  await env.start({ PARLEY_OWNERS_EMAILS: 'boss@example.org, Chief@Example.org' })
  await env.start({ PARLEY_OWNERS_EMAILS: 'boss@example.org, Chief@Example.org' })
})

const create = (login: string, more: { password?: string; email?: string; roleNames?: string[] } = {}) =>
  env.operator.createUser({ login, password, ...more })

describe('creating an account', () => {
  test('creates one that can sign in, with its address and roles', async () => {
    const made = await create('Anton', { email: 'anton@example.org', roleNames: ['moderator', 'admin', 'moderator'] })
    expect(made).toMatchObject({ login: 'Anton', roleNames: ['admin', 'moderator'] })
    expect(made.userId).toMatch(/^U[0-9A-Za-z]{14}$/)
    expect((await signIn(env, 'anton@example.org')).session.userId).toBe(made.userId)
  })

  test('is announced once, together with its roles', async () => {
    await using recording = await recordEvents(env.bus, 'evt.>')
    const { userId } = await create('Bea', { roleNames: ['moderator'] })
    const ours = () => recording.events.filter(({ aggregateId }) => aggregateId === userId)
    await eventually(() => expect(ours()).toHaveLength(3))
    expect(ours().map(({ kind, version, fact }) => [kind, version, fact.case])).toEqual([
      ['user_created', 1n, 'userChanged'],
      ['roles_changed', 2n, 'userRolesChanged'],
      ['rbac_role_assigned', 2n, 'details'],
    ])
    expect(ours()[0]?.fact.value).toMatchObject({ created: true, deleted: false })
    expect(
      JSON.stringify(ours(), (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
    ).not.toContain('Bea')
    expect(ours()[1]?.fact.value).toMatchObject({ roleIds: ['moderator'], rolesVersion: 2n })
    expect(ours()[2]?.fact.value).toMatchObject({ details: { role_id: 'moderator', role_name: 'moderator' } })
    expect(JSON.stringify(ours().map(({ deliveries }) => deliveries))).toBe('[[],[],[]]')
  })

  test.each([
    ['a login of one character', 'a', {}, Code.InvalidArgument],
    ['a login with a space', 'a b', {}, Code.InvalidArgument],
    ['a login with a NUL', 'ab\0', {}, Code.InvalidArgument],
    ['a login that is the name of a role', 'Moderator', {}, Code.InvalidArgument],
    ['a login that mentions everybody', 'all', {}, Code.InvalidArgument],
    ['a blocked login', 'Root', {}, Code.InvalidArgument],
    ['a short password', 'short-password', { password: '1234567' }, Code.InvalidArgument],
    ['a long password', 'long-password', { password: 'x'.repeat(129) }, Code.InvalidArgument],
    ['an invalid address', 'no-address', { email: 'nowhere' }, Code.InvalidArgument],
    ['an address with a NUL', 'nul-address', { email: 'a\0@example.org' }, Code.InvalidArgument],
    ['an unknown role', 'no-role', { roleNames: ['janitor'] }, Code.NotFound],
    ['the role everyone', 'each', { roleNames: ['everyone'] }, Code.InvalidArgument],
  ])('is refused for %s', async (_, login, more, code) => {
    expect(await codeOf(create(login, more))).toBe(code)
    expect(await codeOf(signIn(env, login))).toBe(Code.Unauthenticated)
  })

  test('is refused for a taken login or address, in any letter case', async () => {
    await create('clara', { email: 'clara@example.org' })
    expect(await codeOf(create('CLARA'))).toBe(Code.AlreadyExists)
    expect(await codeOf(create('clara2', { email: 'Clara@example.org' }))).toBe(Code.AlreadyExists)
    // The refused call has not taken the login.
    expect(await codeOf(create('clara2'))).toBeUndefined()
  })

  test('succeeds once for concurrent calls with one login or address', async () => {
    const logins = await Promise.all(Array.from({ length: 6 }, (_, n) => codeOf(create(n % 2 ? 'dora' : 'Dora'))))
    expect(logins.filter((code) => code === undefined)).toHaveLength(1)
    expect(logins.filter((code) => code === Code.AlreadyExists)).toHaveLength(5)
    const addresses = await Promise.all(
      Array.from({ length: 6 }, (_, n) => codeOf(create(`erik${n}`, { email: 'erik@example.org' }))),
    )
    expect(addresses.filter((code) => code === undefined)).toHaveLength(1)
    expect(addresses.filter((code) => code === Code.AlreadyExists)).toHaveLength(5)
  })
})

describe('setting a password', () => {
  test('ends every credential of the account', async () => {
    const userId = await makeUser(env, 'fabian')
    const first = await signIn(env, 'fabian')
    const second = await signIn(env, 'fabian')
    const changed = await env.operator.setPassword({ login: 'FABIAN', password: 'another password' })
    const stored = await lastOnStream(env.bus, `evt.control.user.${userId}.credentials_ended`)
    expect(changed).toMatchObject({ userId })
    expect(await callersOf(env, [...first.digests, ...second.digests])).toEqual(new Map())
    expect(fromBinary(EventBatchSchema, stored).events).toMatchObject([
      {
        fact: { case: 'credentialsEnded', value: { all: true, reason: 'password_changed' } },
        deliveries: [{ audience: { case: 'users', value: { userIds: [userId] } } }],
      },
    ])
    expect(await codeOf(signIn(env, 'fabian'))).toBe(Code.Unauthenticated)
    expect((await callersOf(env, (await signIn(env, 'fabian', 'another password')).digests)).size).toBe(2)
  })

  test('is refused for unknown accounts and invalid passwords', async () => {
    await makeUser(env, 'gustav')
    const set = (login: string, secret: string) => codeOf(env.operator.setPassword({ login, password: secret }))
    expect(await set('nobody', password)).toBe(Code.NotFound)
    expect(await set('no\0body', password)).toBe(Code.NotFound)
    expect(await set('gustav', 'short')).toBe(Code.InvalidArgument)
  })
})

describe('deleting an account', () => {
  test('ends its credentials and frees its login', async () => {
    const userId = await makeUser(env, 'gone')
    const { digests } = await signIn(env, 'gone')
    expect(await env.operator.deleteUser({ login: 'GONE' })).toMatchObject({ userId })
    expect(await callersOf(env, digests)).toEqual(new Map())
    expect(await makeUser(env, 'gone')).not.toBe(userId)
    expect(await codeOf(env.operator.deleteUser({ login: 'nobody-here' }))).toBe(Code.NotFound)
  })
})

describe('granting a role', () => {
  test('is on the stream before the response, and may be repeated', async () => {
    const userId = await makeUser(env, 'heinz')
    const grant = (roleName: string) => env.operator.grantRole({ login: 'heinz', roleName })
    expect(await grant('moderator')).toMatchObject({ userId, roleNames: ['moderator'] })
    const stored = await lastOnStream(env.bus, `evt.control.user.${userId}.roles_changed`)
    expect(fromBinary(EventBatchSchema, stored).events).toMatchObject([
      { version: expect.any(BigInt), fact: { case: 'userRolesChanged', value: { roleIds: ['moderator'] } } },
    ])
    expect(await grant('moderator')).toMatchObject({ roleNames: ['moderator'] })
    expect(await grant('admin')).toMatchObject({ roleNames: ['admin', 'moderator'] })
    const later = await lastOnStream(env.bus, `evt.control.user.${userId}.roles_changed`)
    expect(fromBinary(EventBatchSchema, later).events).toMatchObject([{ version: expect.any(BigInt) }])
  })

  test('is refused for unknown accounts and roles, and for everyone', async () => {
    await makeUser(env, 'inge')
    const grant = (login: string, roleName: string) => codeOf(env.operator.grantRole({ login, roleName }))
    expect(await grant('nobody', 'moderator')).toBe(Code.NotFound)
    expect(await grant('inge', 'janitor')).toBe(Code.NotFound)
    expect(await grant('inge', 'everyone')).toBe(Code.InvalidArgument)
  })

  test('loses no role if several are granted concurrently', async () => {
    await makeUser(env, 'jutta')
    await Promise.all(
      ['moderator', 'admin', 'owner'].map((roleName) => env.operator.grantRole({ login: 'jutta', roleName })),
    )
    const { roleNames } = await env.operator.grantRole({ login: 'jutta', roleName: 'owner' })
    expect(roleNames).toEqual(['admin', 'moderator', 'owner'])
  })

  test('fails with `unavailable` without the stream, even if repeated', async () => {
    const userId = await makeUser(env, 'kurt')
    await eventually(async () => {
      const waiting = await env.db.execute(sql`select 1 from outbox where relayed_at is null`)
      expect(waiting.rowCount).toBe(0)
    })
    const noAcks = await disableStreamAcks(env.bus)
    const grant = () => codeOf(env.operator.grantRole({ login: 'kurt', roleName: 'moderator' }))
    expect(await grant()).toBe(Code.Unavailable)
    expect(await grant()).toBe(Code.Unavailable)
    await noAcks[Symbol.asyncDispose]()
    await eventually(async () => expect(await grant()).toBeUndefined())
    const stored = await lastOnStream(env.bus, `evt.control.user.${userId}.roles_changed`)
    // Each repeated call announces the roles again.
    const { events } = fromBinary(EventBatchSchema, stored)
    expect(events.length).toBeGreaterThan(0)
    for (const { fact } of events)
      expect(fact).toMatchObject({ case: 'userRolesChanged', value: { roleIds: ['moderator'] } })
  })
})

describe('verifying an address', () => {
  test('lets the account sign in with it, and may be repeated', async () => {
    const userId = await makeUser(env, 'lena')
    expect(await env.operator.verifyEmail({ login: 'lena', email: 'Lena@example.org' })).toMatchObject({ userId })
    expect(await env.operator.verifyEmail({ login: 'lena', email: 'lena@Example.org' })).toMatchObject({ userId })
    expect((await signIn(env, 'lena@example.org')).session.userId).toBe(userId)
  })

  test('is refused for an invalid or taken address or an unknown account', async () => {
    await makeUser(env, 'max', { email: 'max@example.org' })
    await makeUser(env, 'moritz')
    const verify = (login: string, email: string) => codeOf(env.operator.verifyEmail({ login, email }))
    expect(await verify('moritz', 'moritz')).toBe(Code.InvalidArgument)
    expect(await verify('nobody', 'nobody@example.org')).toBe(Code.NotFound)
    expect(await verify('moritz', 'MAX@example.org')).toBe(Code.AlreadyExists)
    const racing = ['max', 'moritz', 'max', 'moritz'].map((login) => verify(login, 'both@example.org'))
    const codes = await Promise.all(racing)
    expect(codes.filter((code) => code === undefined)).toHaveLength(2)
    expect(codes.filter((code) => code === Code.AlreadyExists)).toHaveLength(2)
  })

  test('announces the role owner if the configuration lists the address', async () => {
    const userId = await makeUser(env, 'nora')
    await env.operator.verifyEmail({ login: 'nora', email: 'Boss@example.org' })
    const stored = await lastOnStream(env.bus, `evt.control.user.${userId}.roles_changed`)
    expect(fromBinary(EventBatchSchema, stored).events).toMatchObject([
      { fact: { case: 'userRolesChanged', value: { roleIds: ['owner'] } } },
    ])
    const { digests } = await signIn(env, 'nora')
    expect([...(await callersOf(env, digests)).values()].map((caller) => caller?.roleIds)).toEqual([
      ['owner'],
      ['owner'],
    ])
  })

  test('is not needed for an address that an operator gives at creation and the configuration lists for owners', async () => {
    expect(await create('olaf', { email: 'chief@example.org' })).toMatchObject({ roleNames: ['owner'] })
  })
})

test('accounts with a configured owner address become owners at the next start', async () => {
  await makeUser(env, 'paula', { email: 'paula@example.org' })
  await using recording = await recordEvents(env.bus, 'evt.control.user.*.roles_changed')
  await using _first = await env.start({ PARLEY_OWNER_EMAIL: 'PAULA@example.org' })
  await using _second = await env.start({ PARLEY_OWNER_EMAIL: 'PAULA@example.org' })
  await eventually(async () => {
    const callers = await callersOf(env, (await signIn(env, 'paula')).digests)
    for (const caller of callers.values()) expect(caller?.roleIds).toEqual(['owner'])
  })
  await makeUser(env, 'quirin', { roleNames: ['admin'] })
  await eventually(() => expect(recording.events.at(-1)?.fact.value).toMatchObject({ roleIds: ['admin'] }))
  expect(recording.events).toHaveLength(2)
})

test('an address that only an administrator has given makes no owner until it is verified', async () => {
  await makeUser(env, 'sara', { roleNames: ['admin'] })
  const admin = env.as(AdminUserService, await callerOf(env, 'sara'))
  const [email, early] = ['tom@example.org', 'ulla@example.org']
  await admin.createUser({ login: 'tom', password, email })
  await makeUser(env, 'ulla', { email: early })
  const rolesOf = async (login: string) =>
    [...(await callersOf(env, (await signIn(env, login)).digests)).values()][0]?.roleIds
  await using _first = await env.start({ PARLEY_OWNERS_EMAILS: `${email}, ${early}` })
  await eventually(async () => expect(await rolesOf('ulla')).toEqual(['owner']))
  expect(await rolesOf('tom')).toEqual([])
  // The user could verify it with a code; here the operator does.
  await env.operator.verifyEmail({ login: 'tom', email })
  await using _second = await env.start({ PARLEY_OWNERS_EMAILS: `${email}, ${early}` })
  await eventually(async () => expect(await rolesOf('tom')).toEqual(['owner']))
})

describe('the first owner', () => {
  test('is created once, even by concurrent calls', async () => {
    await using fresh = await openEnv()
    await fresh.start()
    await fresh.start()
    const boot = (login: string) => fresh.operator.bootstrapOwner({ login, password, email: 'first@example.org' })
    const answers = await Promise.all(['first', 'first', 'second', 'third'].map(boot))
    const made = answers.filter(({ created }) => created)
    expect(made).toHaveLength(1)
    for (const { login } of answers) expect(login).toBe(made[0]?.login)
    const { digests } = await signIn(fresh, made[0]?.login ?? '')
    for (const caller of (await callersOf(fresh, digests)).values()) expect(caller?.roleIds).toEqual(['owner'])
    const { rows } = await fresh.db.execute(sql`select count(*)::int as n from users`)
    expect(rows).toEqual([{ n: 1 }])
  })

  test('is not created if there already is an owner', async () => {
    await create('rita', { roleNames: ['owner'] })
    const answer = await env.operator.bootstrapOwner({ login: '!', password: '', email: '' })
    expect(answer.created).toBe(false)
    expect(answer.login).not.toBe('!')
  })

  test('is validated like any account', async () => {
    await using fresh = await openEnv()
    await fresh.start()
    const boot = (login: string, secret: string) =>
      codeOf(fresh.operator.bootstrapOwner({ login, password: secret, email: '' }))
    expect(await boot('!', password)).toBe(Code.InvalidArgument)
    expect(await boot('first', 'short')).toBe(Code.InvalidArgument)
    await makeUser(fresh, 'taken')
    expect(await boot('taken', password)).toBe(Code.AlreadyExists)
    expect(await boot('first', password)).toBeUndefined()
  })
})

describe('the sessions of an account', () => {
  test('are listed while valid, and can be ended one by one or all together', async () => {
    const userId = await makeUser(env, 'sessions')
    const [first, second] = [await signIn(env, 'sessions'), await signIn(env, 'sessions')]
    const list = async () => (await env.operator.listSessions({ login: 'Sessions' })).sessions
    expect((await list()).map(({ kind }) => kind).sort()).toEqual(['bearer', 'bearer', 'cookie', 'cookie'])
    const { credentialId = '' } = await callerOf(env, 'sessions')
    const sessionIds = [credentialId, 'Sunknown']
    expect(await env.operator.endSessions({ login: 'sessions', sessionIds })).toMatchObject({ userId, ended: 1 })
    expect((await list()).map(({ id }) => id)).not.toContain(credentialId)
    expect(await env.operator.endSessions({ login: 'sessions', sessionIds: [credentialId] })).toMatchObject({
      ended: 0,
    })
    expect((await callersOf(env, [...first.digests, ...second.digests])).size).toBe(4)
    expect(await env.operator.endSessions({ login: 'sessions' })).toMatchObject({ ended: 5 })
    expect(await list()).toEqual([])
    expect((await callersOf(env, [...first.digests, ...second.digests])).size).toBe(0)
    await signIn(env, 'sessions')
  })

  test('cannot be listed or ended if the account is unknown', async () => {
    expect(await codeOf(env.operator.listSessions({ login: 'nobody' }))).toBe(Code.NotFound)
    expect(await codeOf(env.operator.endSessions({ login: 'nobody' }))).toBe(Code.NotFound)
  })
})
