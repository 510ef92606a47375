import { readFile } from 'node:fs/promises'
import { fromBinary, toJsonString } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import { ownerRoleId } from '@parley/permissions'
import { MyAccountService } from '@parley/contracts/api'
import { EventSchema, type Event } from '@parley/contracts/internal'
import { RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'
import { eventually, recordEvents } from '@parley/testkit'
import { eq, sql } from 'drizzle-orm'
import { erasingServices } from '../src/actions/deletion/passes.ts'
import { deletions, emailCodes, externalIdentities, flowTokens, oauthConsents, users } from '../src/store/schema.ts'
import { callersOf, codeOf, makeUser, useEnv, password, disableStreamAcks, signIn } from './_env.ts'

const env = useEnv()

beforeAll(() => env.start({ PARLEY_ACCOUNTS_ERASURE_PASS_AFTER: '200ms' }))

const account = (userId: string, ...roleIds: string[]) => env.as(MyAccountService, { userId, roleIds })
const tokenFor = async (userId: string, ...roleIds: string[]) =>
  (await account(userId, ...roleIds).requestAccountDeletion({})).confirmationToken
const deleteSelf = async (userId: string, ...roleIds: string[]) => {
  const confirmationToken = await tokenFor(userId, ...roleIds)
  return account(userId, ...roleIds).deleteMyAccount({ confirmationToken })
}
const rowOf = async (userId: string) => (await env.db.select().from(users).where(eq(users.id, userId)))[0]
const deletionOf = async (userId: string) =>
  (await env.db.select().from(deletions).where(eq(deletions.userId, userId)))[0]
const clientEventsOf = ({ deliveries }: Event) =>
  deliveries.map(({ envelope }) => fromBinary(RealtimeEventEnvelopeSchema, envelope).event)

/** Reports every requested erasure pass until the deletion is complete. */
async function reportAll(userId: string, found: (service: string, pass: number) => bigint = () => 0n): Promise<void> {
  await using recording = await recordEvents(env.bus, `evt.user.${userId}.erasure_requested`)
  const passes = () => recording.events.map(({ fact }) => (fact.case === 'erasureRequested' ? fact.value.pass : 0))
  const report = (pass: number) =>
    Promise.all(
      erasingServices
        .filter((service) => service !== 'accounts')
        .map((service) => env.internal.reportErased({ userId, service, pass, found: found(service, pass) })),
    )
  await report(1)
  let reported = 1
  // With more than 100 deletions in progress, a pass takes several runs of the job, which runs once a second.
  await eventually(
    async () => {
      const requested = Math.max(1, ...passes())
      if (requested > reported) await report((reported = requested))
      return (await deletionOf(userId))?.completedAt !== null
    },
    { timeoutMs: 90_000 },
  )
}

test('confirming a deletion ends sessions, erases data, frees names, and is announced', async () => {
  await using recording = await recordEvents(env.bus, 'evt.>')
  const userId = await makeUser(env, 'Zara', { email: 'zara@example.org', roleNames: ['moderator'] })
  const { digests } = await signIn(env, 'zara@example.org')
  const at = new Date()
  await env.db.insert(externalIdentities).values({
    ...{ issuer: 'https://id.example.org', subject: 'zara-1', subjectHash: 'hash-1', providerId: 'company' },
    ...{ userId, linkedAt: at },
  })
  await env.db.insert(oauthConsents).values({ userId, origin: 'https://other.example.org', grantedAt: at })
  const code = { codeDigest: Buffer.alloc(32), expiresAt: new Date(at.getTime() + 60_000), windowFrom: at }
  await env.db.insert(emailCodes).values({ ...code, purpose: 'registration', emailKey: 'zara@example.org' })
  const flow = (name: string, payload: object) => ({
    ...{ digest: Buffer.alloc(32, name), purpose: 'external_create' as const, userId: '', payload },
    ...{ createdAt: at, expiresAt: new Date(at.getTime() + 60_000) },
  })
  await env.db
    .insert(flowTokens)
    .values([
      flow('address', { email: 'Zara@example.org' }),
      flow('profile', { verifiedEmail: 'zara@Example.org' }),
      flow('identity', { issuer: 'https://id.example.org', subject: 'zara-1' }),
      flow('other', { issuer: 'https://id.example.org', subject: 'zara-2', verifiedEmail: 'z@example.org' }),
    ])
  await env.db.update(users).set({ statusText: 'in Zürich', timezone: 'Europe/Zurich' }).where(eq(users.id, userId))

  expect(await deleteSelf(userId)).toMatchObject({ deleted: true })

  expect(await callersOf(env, digests)).toEqual(new Map())
  expect(await codeOf(signIn(env, 'Zara'))).toBe(Code.Unauthenticated)
  expect(await rowOf(userId)).toMatchObject({
    ...{ login: '', displayName: null, passwordHash: null, statusText: null, timezone: null, avatarKey: null },
    deletedAt: expect.any(Date),
  })
  const { profiles } = await env.internal.getProfiles({ userIds: [userId] })
  expect(profiles[0]).toMatchObject({ roleIds: [], user: { login: '', displayName: 'Deleted User', deleted: true } })
  for (const table of [externalIdentities, oauthConsents, flowTokens]) {
    expect(await env.db.select().from(table).where(eq(table.userId, userId))).toEqual([])
  }
  expect(await env.db.select().from(emailCodes)).toEqual([])
  expect(await env.db.select().from(flowTokens)).toMatchObject([{ payload: { subject: 'zara-2' } }])
  const published = () => recording.events.filter(({ aggregateId }) => aggregateId === userId)
  await eventually(() => expect(published().map(({ kind }) => kind)).toContain('erasure_requested'))
  const [ended, deleted] = ['credentials_ended', 'account_deleted'].map((kind) =>
    published().find((e) => e.kind === kind),
  )
  expect(ended?.fact.value).toMatchObject({ all: true, reason: 'account_deleted' })
  expect(ended && clientEventsOf(ended)).toMatchObject([
    { case: 'sessionTerminated', value: { reason: 'account_deleted' } },
  ])
  expect(deleted).toMatchObject({ actorId: userId, fact: { case: 'userChanged', value: { deleted: true } } })
  expect(deleted?.deliveries[0]?.audience).toMatchObject({ case: 'everyone', value: true })
  expect(deleted && clientEventsOf(deleted)).toMatchObject([{ case: 'serverMemberDeleted', value: { userId } }])

  const again = await makeUser(env, 'zara', { email: 'Zara@example.org' })
  expect(again).not.toBe(userId)
})

test('the request for a deletion is audited, without the token', async () => {
  const userId = await makeUser(env, 'asker')
  await using recording = await recordEvents(env.bus, `evt.user.${userId}.*`)
  const token = await tokenFor(userId)
  const kind = 'account_deletion_confirmation_issued'
  await eventually(() => expect(recording.events.map((event) => event.kind)).toContain(kind))
  expect(recording.events.find((event) => event.kind === kind)?.actorId).toBe(userId)
  expect(recording.events.map((event) => toJsonString(EventSchema, event)).join()).not.toContain(token)
})

test('a deleted account cannot be changed, nor its confirmation tokens used', async () => {
  const userId = await makeUser(env, 'late')
  const [first, second] = [await tokenFor(userId), await tokenFor(userId)]
  await account(userId).deleteMyAccount({ confirmationToken: second })
  expect(await codeOf(account(userId).deleteMyAccount({ confirmationToken: first }))).toBe(Code.NotFound)
  expect(await codeOf(account(userId).requestAccountDeletion({}))).toBe(Code.Unauthenticated)
  expect(await codeOf(account(userId).updateProfile({ displayName: 'Back' }))).toBe(Code.NotFound)
  expect(await codeOf(env.operator.setPassword({ login: 'late', password }))).toBe(Code.NotFound)
  expect(await rowOf(userId)).toMatchObject({ login: '', displayName: null, passwordHash: null })
})

test('a confirmation token is valid only for its account and for a limited time', async () => {
  const [userId, other] = [await makeUser(env, 'keen'), await makeUser(env, 'other')]
  const theirs = await tokenFor(other)
  expect(await codeOf(account(userId).deleteMyAccount({ confirmationToken: theirs }))).toBe(Code.PermissionDenied)
  expect(await codeOf(account(userId).deleteMyAccount({ confirmationToken: 'x' }))).toBe(Code.NotFound)
  expect(await codeOf(account(userId).deleteMyAccount({}))).toBe(Code.NotFound)
  const old = await tokenFor(userId)
  await env.db.update(flowTokens).set({ expiresAt: new Date() }).where(eq(flowTokens.userId, userId))
  expect(await codeOf(account(userId).deleteMyAccount({ confirmationToken: old }))).toBe(Code.NotFound)
  expect(await rowOf(userId)).toMatchObject({ login: 'keen', deletedAt: null })
  await account(other).deleteMyAccount({ confirmationToken: theirs })
})

test('if the last two owners delete their accounts concurrently, one is refused', async () => {
  const owners = [
    await makeUser(env, 'boss', { roleNames: ['owner'] }),
    await makeUser(env, 'chief', { roleNames: ['owner'] }),
  ]
  const codes = await Promise.all(owners.map((userId) => codeOf(deleteSelf(userId, ownerRoleId))))
  expect(codes.toSorted()).toEqual([Code.FailedPrecondition, undefined].toSorted())
  const left = owners[codes.indexOf(Code.FailedPrecondition)] ?? ''
  expect(await codeOf(deleteSelf(left, ownerRoleId))).toBe(Code.FailedPrecondition)
  expect(await rowOf(left)).toMatchObject({ deletedAt: null })
})

test('erasure passes repeat until one after the first finds nothing', async () => {
  const userId = await makeUser(env, 'repeated')
  await deleteSelf(userId)
  await reportAll(userId, (service, pass) => (service === 'rooms' && pass < 3 ? 1n : 0n))
  expect(await deletionOf(userId)).toMatchObject({ pass: 3, completedAt: expect.any(Date) })
})

test('events with the names of a deleted user are removed from outbox and stream', async () => {
  const userId = await makeUser(env, 'famous')
  await account(userId).updateProfile({ displayName: 'Known Everywhere' })
  const subject = `evt.user.${userId}.user_profile_updated`
  const { streams } = await env.bus.nc.jetstreamManager()
  const onStream = async () =>
    (await streams.info('EVENTS', { subjects_filter: subject })).state.subjects?.[subject] ?? 0
  await eventually(async () => expect(await onStream()).toBe(1))
  await deleteSelf(userId)
  await reportAll(userId)
  expect(await onStream()).toBe(0)
  const { rows } = await env.db.execute(`select from outbox where subject = '${subject}'`)
  expect(rows).toEqual([])
})

test('erasure reports must name a requested pass and a service that erases', async () => {
  const userId = await makeUser(env, 'reported')
  const report = { userId, service: 'rooms', pass: 1, found: 0n }
  expect(await codeOf(env.internal.reportErased(report))).toBe(Code.NotFound)
  await deleteSelf(userId)
  expect(await codeOf(env.internal.reportErased({ ...report, pass: 9 }))).toBe(Code.NotFound)
  expect(await codeOf(env.internal.reportErased({ ...report, service: 'gateway' }))).toBe(Code.InvalidArgument)
  expect(await codeOf(env.internal.reportErased(report))).toBeUndefined()
})

test('a deletion completes even if its event could not be published at once', async () => {
  const userId = await makeUser(env, 'quiet')
  const confirmationToken = await tokenFor(userId)
  {
    await using _noAcks = await disableStreamAcks(env.bus)
    expect(await codeOf(account(userId).deleteMyAccount({ confirmationToken }))).toBe(Code.Unavailable)
  }
  expect(await rowOf(userId)).toMatchObject({ login: '' })
  await reportAll(userId)
})

test('deletions that do not progress do not block others', async () => {
  await env.db.execute(sql`
    insert into users (id, login, version, roles_version, created_at, deleted_at)
    select 'Ustuck' || n, 'stuck' || n, 1, 1, now(), now() from generate_series(1, 250) n`)
  await env.db.execute(sql`
    insert into deletions (user_id, requested_at, pass, asked_at)
    select 'Ustuck' || n, now(), 20, now() - interval '5 minutes' from generate_series(1, 250) n`)
  const userId = await makeUser(env, 'nach')
  await deleteSelf(userId)
  await reportAll(userId)
  expect((await deletionOf(userId))?.completedAt).not.toBeNull()
  expect((await deletionOf('Ustuck1'))?.completedAt).toBeNull()
  await env.db.execute(sql`delete from deletions where user_id like 'Ustuck%'`)
})

test('a very large account is erased in batches, even if one fails', async () => {
  const userId = await makeUser(env, 'hoarder', { email: 'hoarder@example.org' })
  await env.db.execute(sql`
    insert into flow_tokens (digest, purpose, user_id, payload, created_at, expires_at)
    select sha256(('hoard' || n)::bytea), 'account_deletion', ${userId}, '{}', now(), now() + interval '1 day'
    from generate_series(1, 3499) n`)
  await env.db.execute(sql`create sequence full_batches`)
  await env.db.execute(sql`create table batch_sizes (size bigint)`)
  await env.db.execute(sql`
    create function note_batch() returns trigger language plpgsql as $$
    begin
      insert into batch_sizes select count(*) from gone;
      if (select count(*) from gone) = 1000 and nextval('full_batches') = 2 then raise exception 'cut off'; end if;
      return null;
    end $$`)
  await env.db.execute(sql`
    create trigger note_batch after delete on flow_tokens referencing old table as gone
    for each statement execute function note_batch()`)
  await deleteSelf(userId)
  await makeUser(env, 'hoarder', { email: 'hoarder@example.org' })
  await reportAll(userId)
  expect(await env.db.select().from(flowTokens).where(eq(flowTokens.userId, userId))).toEqual([])
  const { rows } = await env.db.execute(sql`select size::integer from batch_sizes where size >= 500 order by size`)
  // 3,500 rows: 3,499 from above and the token that confirmed the deletion.
  expect(rows.map(({ size }) => size)).toEqual([500, 1000, 1000, 1000])
  await env.db.execute(sql`drop trigger note_batch on flow_tokens`)
})

test('the documented SQL requests the erasure again', async () => {
  const userId = await makeUser(env, 'twice')
  await deleteSelf(userId)
  await reportAll(userId)
  const pages = await readFile(new URL('../../../docs/accounts-and-deletion.md', import.meta.url), 'utf8')
  const statements = /^begin;\n.*?^commit;\n/ms.exec(pages)?.[0] ?? ''
  const { completedAt } = (await deletionOf(userId)) ?? {}
  await using recording = await recordEvents(env.bus, `evt.user.${userId}.erasure_requested`)
  await env.db.execute(sql.raw(statements.replaceAll('2030-01-31', '2020-01-31')))
  await reportAll(userId)
  expect(recording.events.length).toBeGreaterThan(0)
  expect((await deletionOf(userId))?.completedAt).not.toEqual(completedAt)
})
