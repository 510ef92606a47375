import { fromBinary } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { EventBatchSchema, type Event } from '@parley/contracts/internal'
import { RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'
import { eventually, recordEvents } from '@parley/testkit'
import { eq, sql } from 'drizzle-orm'
import { deleteCredentials } from '../src/jobs/delete-credentials.ts'
import { credentials, users } from '../src/store/schema.ts'
import { recordUserEvents } from './_user-events.ts'
import { callersOf, codeOf, disableStreamAcks, lastOnStream, makeUser, useEnv, signIn } from './_env.ts'

const day = 24 * 3600_000
const env = useEnv()
let now = Date.now()

beforeAll(() => env.start({}, { now: () => new Date(now) }))

afterEach(() => {
  now = Date.now()
})

const countValid = async (digests: Uint8Array[]) => (await callersOf(env, digests)).size
const credentialsOf = (userId: string) => env.db.select().from(credentials).where(eq(credentials.userId, userId))

describe('a credential', () => {
  test('is invalid if unknown, expired, or of a deleted account', async () => {
    const userId = await makeUser(env, 'anna')
    const { digests, bearer } = await signIn(env, 'anna')
    expect(await countValid([...digests, Buffer.alloc(32), Buffer.alloc(3)])).toBe(2)
    expect(await countValid([])).toBe(0)

    now += 90 * day - 1
    expect(await countValid([bearer])).toBe(1)
    now = Date.now() + 200 * day
    expect(await countValid(digests)).toBe(0)

    now = Date.now()
    await env.db.update(users).set({ deletedAt: new Date() }).where(eq(users.id, userId))
    expect(await countValid(digests)).toBe(0)
  })

  test('is extended when it is used, at most once a day', async () => {
    const userId = await makeUser(env, 'bert')
    const { bearer, cookie } = await signIn(env, 'bert')
    const expiries = async () =>
      new Map(
        (await credentialsOf(userId)).map(({ digest, expiresAt }) => [digest.toString('hex'), expiresAt.getTime()]),
      )
    const first = await expiries()
    now += day - 60_000
    await countValid([bearer])
    expect(await expiries()).toEqual(first)
    now += 120_000
    await countValid([bearer])
    expect((await expiries()).get(bearer.toString('hex'))).toBe(now + 90 * day)
    expect((await expiries()).get(cookie.toString('hex'))).toBe(first.get(cookie.toString('hex')))
    now += 89 * day
    expect(await countValid([bearer])).toBe(1)
    now += 89 * day
    expect(await countValid([bearer, cookie])).toBe(1)
  })

  test('stays valid even if it cannot be extended', async () => {
    await makeUser(env, 'cleo')
    const { bearer } = await signIn(env, 'cleo')
    await env.db.execute(
      sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'read only'; end $$`,
    )
    await env.db.execute(sql`create trigger refuse before update on credentials for each row execute function refuse()`)
    now += 2 * day
    expect(await countValid([bearer])).toBe(1)
    await env.db.execute(sql`drop trigger refuse on credentials`)
  })

  test('is deleted if its account has a thousand that expire later', async () => {
    const userId = await makeUser(env, 'dan')
    const { digests } = await signIn(env, 'dan')
    await env.db.execute(sql`
      insert into credentials (id, user_id, kind, digest, auth_generation, created_at, expires_at)
      select 'S' || n, ${userId}, 'bearer', sha256(convert_to('dan' || n, 'utf8')), 0, now(), now() + interval '100 days'
      from generate_series(1, 999) n`)
    now += 1_000
    const before = (await credentialsOf(userId)).map(({ id }) => id)
    await using events = await recordUserEvents(env)
    const latest = await signIn(env, 'dan')
    const kept = new Set((await credentialsOf(userId)).map(({ id }) => id))
    expect(kept.size).toBe(1000)
    await events.waitFor(userId, 'credentials_ended')
    const ended = events.of(userId).find(({ kind }) => kind === 'credentials_ended')?.fact
    expect(ended).toMatchObject({ case: 'credentialsEnded', value: { all: false, reason: 'session_revoked' } })
    const ids = ended?.case === 'credentialsEnded' ? ended.value.credentialIds : []
    expect(ids).toEqual(expect.arrayContaining(before.filter((id) => !kept.has(id))))
    expect(ids.filter((id) => kept.has(id))).toEqual([])
    expect(await countValid(digests)).toBe(0)
    // The inserted credentials expire later, so one of the two new ones was deleted as well.
    expect(await countValid(latest.digests)).toBe(1)
  })

  test('is deleted a day after it ended, or when it expires', async () => {
    const userId = await makeUser(env, 'edda')
    const ended = await signIn(env, 'edda')
    await env.internal.endCredentials({ digests: ended.digests, reason: 'logout' })
    await signIn(env, 'edda')
    const clean = () => deleteCredentials({ db: env.db, now: () => new Date(now) }, AbortSignal.timeout(60_000))
    now += day - 60_000
    await clean()
    expect(await credentialsOf(userId)).toHaveLength(4)
    now += 120_000
    await clean()
    expect(await credentialsOf(userId)).toHaveLength(2)
    const left = (await credentialsOf(userId)).map(({ id }) => id)
    await using events = await recordUserEvents(env)
    now += 90 * day
    await clean()
    expect(await credentialsOf(userId)).toHaveLength(0)
    // Expired credentials are announced like ended ones.
    await events.waitFor(userId, 'credentials_ended')
    expect(events.of(userId).map(({ fact }) => fact)).toMatchObject([
      {
        case: 'credentialsEnded',
        value: { credentialIds: expect.arrayContaining(left), all: false, reason: 'session_revoked' },
      },
    ])
  })

  test('cannot be looked up together with a thousand others', async () => {
    const digests = Array.from({ length: 1001 }, () => Buffer.alloc(32))
    expect(await codeOf(env.internal.authenticate({ digests }))).toBe(Code.InvalidArgument)
    expect(await codeOf(env.internal.openSockets({ digests }))).toBe(Code.InvalidArgument)
  })
})

test('CheckCredentials returns the valid credentials and extends them', async () => {
  const userId = await makeUser(env, 'gela')
  const [active, ended] = [await signIn(env, 'gela'), await signIn(env, 'gela')]
  const callers = await callersOf(env, [active.bearer, ended.bearer])
  const idOf = (digest: Buffer) => callers.get(digest.toString('hex'))?.credentialId ?? ''
  const ids = [idOf(active.bearer), idOf(ended.bearer)]
  const check = async (credentialIds = [...ids, 'unknown']) =>
    (await env.internal.checkCredentials({ credentialIds })).credentialIds
  expect((await check()).sort()).toEqual([...ids].sort())
  await env.internal.endCredentials({ digests: [ended.bearer], reason: 'logout' })
  expect(await check()).toEqual([ids[0]])
  now += 89 * day
  expect(await check()).toEqual([ids[0]])
  now += 89 * day
  expect(await countValid([active.bearer])).toBe(1)
  await env.operator.setPassword({ login: 'gela', password: 'another long enough secret' })
  expect(await check()).toEqual([])
  expect(await check([])).toEqual([])
  expect(await codeOf(check(Array.from({ length: 1_001 }, () => userId)))).toBe(Code.InvalidArgument)
})

test('OpenSockets returns the callers with their roles', async () => {
  const userId = await makeUser(env, 'frida')
  const { bearer, cookie } = await signIn(env, 'frida')
  const before = (await env.internal.openSockets({ digests: [bearer, Buffer.alloc(32, 7)] })).entries
  expect(before.map(({ digest }) => Buffer.from(digest))).toEqual([bearer])
  await env.operator.grantRole({ login: 'frida', roleName: 'moderator' })
  const [after] = (await env.internal.openSockets({ digests: [cookie] })).entries
  expect(after?.caller).toMatchObject({ userId, roleIds: ['moderator'] })
  expect(after?.caller?.rolesVersion).toBeGreaterThan(before[0]?.caller?.rolesVersion ?? 0n)
})

describe('ending credentials', () => {
  test('ends only the presented ones, and waits for the stream', async () => {
    const userId = await makeUser(env, 'gerd')
    const { bearer, cookie } = await signIn(env, 'gerd')
    const other = await signIn(env, 'gerd')
    const caller = (await callersOf(env, [bearer])).get(bearer.toString('hex'))
    const { credentialIds } = await env.internal.endCredentials({ digests: [bearer], reason: 'logout' })
    const stored = await lastOnStream(env.bus, `evt.control.user.${userId}.credentials_ended`)

    expect(credentialIds).toEqual([caller?.credentialId])
    expect(await countValid([bearer])).toBe(0)
    expect(await countValid([cookie, ...other.digests])).toBe(3)
    const [event] = fromBinary(EventBatchSchema, stored).events
    expect(event).toMatchObject({
      kind: 'credentials_ended',
      actorId: userId,
      fact: { case: 'credentialsEnded', value: { credentialIds, all: false, reason: 'logout' } },
      deliveries: [{ audience: { case: 'users', value: { userIds: [userId] } } }],
    })
    const envelope = fromBinary(RealtimeEventEnvelopeSchema, event?.deliveries[0]?.envelope ?? new Uint8Array())
    expect(envelope).toMatchObject({ id: event?.id, event: { case: 'sessionTerminated', value: { reason: 'logout' } } })
  })

  test('is audited as a logout of a session, or a revocation of a token', async () => {
    const userId = await makeUser(env, 'lars')
    const { bearer, cookie } = await signIn(env, 'lars')
    const callers = await callersOf(env, [bearer, cookie])
    const idOf = (digest: Buffer) => callers.get(digest.toString('hex'))?.credentialId
    await using recording = await recordEvents(env.bus, `evt.user.${userId}.*`)
    await env.internal.endCredentials({ digests: [cookie], reason: 'logout' })
    await env.internal.endCredentials({ digests: [bearer], reason: 'logout' })
    // Events from before the recording may still arrive.
    const isEnd = ({ kind }: Event) => kind === 'logout_succeeded' || kind === 'bearer_token_revoked'
    const auditEvents = () => recording.events.filter(isEnd).map(({ kind, fact }) => [kind, fact.value])
    await eventually(() =>
      expect(auditEvents()).toMatchObject([
        ['logout_succeeded', { details: { credential_id: idOf(cookie) } }],
        ['bearer_token_revoked', { details: { credential_id: idOf(bearer) } }],
      ]),
    )
  })

  test('twice succeeds without a second event', async () => {
    const userId = await makeUser(env, 'hugo')
    const { digests } = await signIn(env, 'hugo')
    await using recording = await recordEvents(env.bus, `evt.control.user.${userId}.*`)
    await env.internal.endCredentials({ digests, reason: 'logout' })
    expect(await env.internal.endCredentials({ digests, reason: 'logout' })).toMatchObject({ credentialIds: [] })
    expect(await env.internal.endCredentials({ digests: [Buffer.alloc(32)], reason: 'logout' })).toBeDefined()
    await env.operator.grantRole({ login: 'hugo', roleName: 'moderator' })
    await eventually(() =>
      expect(recording.events.map(({ kind }) => kind)).toEqual(['credentials_ended', 'roles_changed']),
    )
  })

  test('of several users notifies each', async () => {
    const [first, second] = [await makeUser(env, 'ida'), await makeUser(env, 'jan')]
    const [ida, jan] = [await signIn(env, 'ida'), await signIn(env, 'jan')]
    const { credentialIds } = await env.internal.endCredentials({ digests: [ida.bearer, jan.cookie], reason: 'logout' })
    expect(credentialIds).toHaveLength(2)
    for (const userId of [first, second])
      expect(await lastOnStream(env.bus, `evt.control.user.${userId}.credentials_ended`)).toBeDefined()
    expect(await countValid([...ida.digests, ...jan.digests])).toBe(2)
  })

  test('without the stream fails with `unavailable`', async () => {
    const userId = await makeUser(env, 'karl')
    const { bearer } = await signIn(env, 'karl')
    await eventually(async () => {
      const waiting = await env.db.execute(sql`select 1 from outbox where relayed_at is null`)
      expect(waiting.rowCount).toBe(0)
    })
    const noAcks = await disableStreamAcks(env.bus)
    const end = () => codeOf(env.internal.endCredentials({ digests: [bearer], reason: 'logout' }))
    expect(await end()).toBe(Code.Unavailable)
    // The credential has ended although its event is not on the stream.
    expect(await countValid([bearer])).toBe(0)
    expect(await end()).toBe(Code.Unavailable)
    await noAcks[Symbol.asyncDispose]()
    await eventually(async () => expect(await end()).toBeUndefined())
    expect(await lastOnStream(env.bus, `evt.control.user.${userId}.credentials_ended`)).toBeDefined()
  })

  test('is refused for more than ten credentials or unknown reasons', async () => {
    const digests = Array.from({ length: 11 }, () => Buffer.alloc(32))
    expect(await codeOf(env.internal.endCredentials({ digests, reason: 'logout' }))).toBe(Code.InvalidArgument)
    expect(await codeOf(env.internal.endCredentials({ digests: [], reason: 'whim' }))).toBe(Code.InvalidArgument)
  })
})
