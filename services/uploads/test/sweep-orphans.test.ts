import { Readable } from 'node:stream'
import { Code, createClient } from '@connectrpc/connect'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { StorageFindingKind, UploadsOperatorService } from '@parley/contracts/internal'
import { eq } from 'drizzle-orm'
import { metricsText } from '@parley/telemetry'
import { eventually, requestErasure } from '@parley/testkit'
import { adoptStorage, compareIdentity, renewIdentity } from '../src/actions/check/identity.ts'
import { assets, blobs, orphans, storageIdentity, uploadChunks, uploads } from '../src/store/schema.ts'
import { openEnv, type Env } from './_env.ts'
import { sendFile } from './_sending.ts'

const hour = 3_600_000
const day = 24 * hour

let env: Env
let now: number

beforeEach(async () => {
  env = await openEnv()
  env.rooms.set('Rtea', ['Ualice'])
  now = Date.now()
})
afterEach(async () => env[Symbol.asyncDispose]())

const start = () => env.start({}, { now: () => new Date(now), sweepEveryMs: 20 })
const put = (...keys: string[]) =>
  Promise.all(keys.map((key) => env.storage.put(key, Readable.from([Buffer.from('bytes')]))))
const stored = (...keys: string[]) => eventually(async () => expect(await env.storedKeys()).toEqual(keys.sort()))
const quarantined = (...keys: string[]) =>
  eventually(async () =>
    expect((await env.db.select().from(orphans)).map(({ key }) => key).sort()).toEqual(keys.sort()),
  )
const identity = async () => {
  const [row] = await env.db.select().from(storageIdentity)
  return row
}
/** Resolves when a sweep that starts after this call has finished. */
const swept = async () => {
  const marks = async () => (await identity())?.marks.at(-1)
  for (let sweeps = 0; sweeps < 2; sweeps++) {
    const last = await marks()
    await eventually(async () => (await marks()) !== last)
  }
}
const operator = () => createClient(UploadsOperatorService, env.rpc.transport())
const repair = async () => {
  const found: { kind: StorageFindingKind; key: string; mended: boolean }[] = []
  for (let cursor: string | undefined; cursor !== '';) {
    const answer = await operator().checkStorage({ cursor: cursor ?? '', repair: true }, { timeoutMs: 30_000 })
    found.push(...answer.findings.map(({ kind, key, mended }) => ({ kind, key, mended })))
    cursor = answer.nextCursor
  }
  return found
}

test('deletes bytes that have had no row for a week, and ignores foreign keys', async () => {
  await start()
  const ours = ['files/Aone', 'blobs/Atwo', 'chunks/Athree-Afour']
  await put(...ours, 'files/theirs', 'server/backup')
  now += 3 * hour
  await quarantined(...ours)
  now += 7 * day - hour
  await swept()
  expect(await env.storedKeys()).toHaveLength(5)
  now += hour
  await stored('files/theirs', 'server/backup')
  await quarantined()
})

test('releases bytes from quarantine when they have a row again', async () => {
  await start()
  const { id } = await sendFile(env, Buffer.from('a file'))
  const key = `files/${id}`
  await env.db.insert(orphans).values({ key, foundAt: new Date(now - 8 * day), seenAt: new Date(now - day) })
  await quarantined()
  now += 4 * hour
  await swept()
  expect(await env.storage.stat(key)).toBeDefined()
})

/** Deletions requested by rows, one per job, and by an erasure. */
const requested = ['blobs/Aasked', 'chunks/Aended-Aasked', 'files/Aasked', 'files/Aerased']
const requestDeletions = async () => {
  const at = new Date(now - 2 * hour)
  const file = { roomId: 'Rtea', filename: 'x', contentType: 'text/plain', size: 5, sha256: '', createdAt: at }
  const asset = { ...file, width: 0, height: 0 }
  await env.db.insert(assets).values([
    { ...asset, id: 'Aasked', ownerId: 'Ualice', doomed: true },
    { ...asset, id: 'Aerased', ownerId: 'Ubob' },
  ])
  const ended = { ...file, id: 'Aended', ownerId: 'Ualice', state: 'ended' as const, expiresAt: at }
  // Created first, because a session that ended without chunks is deleted at once.
  await env.db.insert(uploadChunks).values({ uploadId: 'Aended', position: 0, key: 'chunks/Aended-Aasked' })
  await env.db.insert(uploads).values(ended)
  await env.db.insert(blobs).values({ id: 'Aasked', callerId: 'Ucarol', nonce: 'n', size: 5, createdAt: at })
}
const refusedDeletions = async () =>
  [...(await metricsText()).matchAll(/parley_uploads_deletions_refused_total\{[^}]*foreign[^}]*\} (\d+)/g)]
    .map(([, count]) => Number(count))
    .reduce((sum, count) => sum + count, 0)

describe('after a database restore', () => {
  test('neither sweeps nor repairs delete anything until the storage is adopted; then after a week', async () => {
    const first = await start()
    await eventually(async () => ((await identity())?.marks.length ?? 0) > 0)
    const before = await identity()
    const uploaded = Array.from({ length: 5 }, (_, n) => `files/Anewer${n}`)
    await put(...uploaded)
    await swept()
    await first[Symbol.asyncDispose]()
    // Puts the database into the state of an older dump.
    await env.db.update(storageIdentity).set({ marks: before?.marks ?? [] })
    await env.db
      .insert(orphans)
      .values(uploaded.map((key) => ({ key, foundAt: new Date(now - 8 * day), seenAt: new Date(now + 9 * day) })))
    now += 8 * day
    await start()
    await expect(repair()).rejects.toMatchObject({
      code: Code.FailedPrecondition,
      rawMessage: expect.stringContaining('parley storage adopt'),
    })
    await eventually(async () =>
      /parley_uploads_sweeps_refused_total\{[^}]*foreign[^}]*\} [1-9]/.test(await metricsText()),
    )
    expect(await env.storedKeys()).toEqual(uploaded)
    await env.db.delete(orphans)
    await put(...requested)
    await requestDeletions()
    await requestErasure(env.bus, 'Ubob', 1)
    await eventually(async () => (await env.db.$count(assets, eq(assets.doomed, true))) === requested.length - 2)
    await eventually(async () => (await env.db.$count(blobs)) === 0)
    const refused = await refusedDeletions()
    await eventually(async () => (await refusedDeletions()) > refused + 20)
    expect(await env.storedKeys()).toEqual([...requested, ...uploaded].sort())
    expect(env.erasures.found('Ubob', 1)).toBeUndefined()
    await operator().adoptStorage({})
    await stored('blobs/Aasked', ...uploaded)
    await eventually(() => expect(env.erasures.found('Ubob', 1)).toBeDefined())
    // Its row is gone, so the sweep deletes it.
    await env.storage.delete('blobs/Aasked')
    // The service may be writing its marks: by the clock of this test that is an old write.
    const found = (await repair()).filter(({ kind }) => kind !== StorageFindingKind.UNFINISHED)
    expect(found).toEqual(uploaded.map((key) => ({ kind: StorageFindingKind.ORPHAN, key, mended: false })))
    now += 7 * day
    await stored()
  })

  test('deletes nothing in a storage without identity', async () => {
    await start()
    await eventually(async () => ((await identity())?.marks.length ?? 0) > 0)
    await eventually(async () => (await env.storage.stat('identity')) !== undefined)
    await swept()
    // A sweep that compared the identity earlier may still write it once.
    await eventually(async () => {
      await env.storage.delete('identity')
      await expect(repair()).rejects.toMatchObject({ code: Code.FailedPrecondition })
    })
  })
})

test('distinguishes a storage whose first identity is being written from one that has lost it', async () => {
  await using fresh = await openEnv()
  await renewIdentity(fresh)
  let looks = 0
  const get = (key: string) => (looks++ === 0 ? Promise.resolve(undefined) : fresh.storage.get(key))
  const storage = Object.assign(Object.create(fresh.storage) as typeof fresh.storage, { get })
  expect(await compareIdentity({ db: fresh.db, storage })).toBe('own')
})

test('a server and its copy on one storage both stop deleting until one adopts it', async () => {
  await using copy = await openEnv()
  const staging = { db: copy.db, storage: env.storage }
  expect(await compareIdentity(env)).toBe('own')
  await renewIdentity(env)
  await copy.db.insert(storageIdentity).values((await identity()) ?? { storageId: '' })
  // They cannot be distinguished until one of them writes.
  expect(await compareIdentity(staging)).toBe('own')
  await renewIdentity(staging)
  expect(await compareIdentity(env)).toBe('foreign')
  expect(await compareIdentity(staging)).toBe('foreign')
  await adoptStorage(env)
  expect([await compareIdentity(staging), await compareIdentity(env)]).toEqual(['foreign', 'own'])
})
