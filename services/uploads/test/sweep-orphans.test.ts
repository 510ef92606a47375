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
import { sendFile } from './_send-files.ts'

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
const expectStored = (...keys: string[]) => eventually(async () => expect(await env.storedKeys()).toEqual(keys.sort()))
const expectQuarantined = (...keys: string[]) =>
  eventually(async () =>
    expect((await env.db.select().from(orphans)).map(({ key }) => key).sort()).toEqual(keys.sort()),
  )
const getIdentity = async () => {
  const [row] = await env.db.select().from(storageIdentity)
  return row
}
const waitForSweep = async () => {
  const lastMark = async () => (await getIdentity())?.marks.at(-1)
  for (let sweeps = 0; sweeps < 2; sweeps++) {
    const previous = await lastMark()
    await eventually(async () => (await lastMark()) !== previous)
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

test('bytes that have had no row for a week are deleted, but not objects of other programs', async () => {
  await start()
  const ours = ['files/Aone', 'blobs/Atwo', 'chunks/Athree-Afour']
  await put(...ours, 'files/theirs', 'server/backup')
  now += 3 * hour
  await expectQuarantined(...ours)
  now += 7 * day - hour
  await waitForSweep()
  expect(await env.storedKeys()).toHaveLength(5)
  now += hour
  await expectStored('files/theirs', 'server/backup')
  await expectQuarantined()
})

test('bytes that have a row again are released from quarantine', async () => {
  await start()
  const { id } = await sendFile(env, Buffer.from('a file'))
  const key = `files/${id}`
  await env.db.insert(orphans).values({ key, foundAt: new Date(now - 8 * day), seenAt: new Date(now - day) })
  await expectQuarantined()
  now += 4 * hour
  await waitForSweep()
  expect(await env.storage.stat(key)).toBeDefined()
})

/** Objects whose deletion is requested: one for each job, and one for an erasure. */
const requested = ['blobs/Arequested', 'chunks/Aended-Arequested', 'files/Arequested', 'files/Aerased']
const requestDeletions = async () => {
  const at = new Date(now - 2 * hour)
  const file = { roomId: 'Rtea', filename: 'x', contentType: 'text/plain', size: 5, sha256: '', createdAt: at }
  const asset = { ...file, width: 0, height: 0 }
  await env.db.insert(assets).values([
    { ...asset, id: 'Arequested', ownerId: 'Ualice', doomed: true },
    { ...asset, id: 'Aerased', ownerId: 'Ubob' },
  ])
  const endedUpload = { ...file, id: 'Aended', ownerId: 'Ualice', state: 'ended' as const, expiresAt: at }
  // The chunk comes first, because an ended session without chunks is deleted at once.
  await env.db.insert(uploadChunks).values({ uploadId: 'Aended', position: 0, key: 'chunks/Aended-Arequested' })
  await env.db.insert(uploads).values(endedUpload)
  await env.db.insert(blobs).values({ id: 'Arequested', callerId: 'Ucarol', nonce: 'n', size: 5, createdAt: at })
}
const countRefusedDeletions = async () =>
  [...(await metricsText()).matchAll(/parley_uploads_deletions_refused_total\{[^}]*foreign[^}]*\} (\d+)/g)]
    .map(([, count]) => Number(count))
    .reduce((sum, count) => sum + count, 0)

describe('after a database restore', () => {
  test('nothing is deleted until the storage is adopted; then bytes without a row are deleted after a week', async () => {
    const first = await start()
    await eventually(async () => ((await getIdentity())?.marks.length ?? 0) > 0)
    const before = await getIdentity()
    const uploaded = Array.from({ length: 5 }, (_, n) => `files/Anewer${n}`)
    await put(...uploaded)
    await waitForSweep()
    await first[Symbol.asyncDispose]()
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
    const refused = await countRefusedDeletions()
    await eventually(async () => (await countRefusedDeletions()) > refused + 20)
    expect(await env.storedKeys()).toEqual([...requested, ...uploaded].sort())
    expect(env.erasures.found('Ubob', 1)).toBeUndefined()
    await operator().adoptStorage({})
    await expectStored('blobs/Arequested', ...uploaded)
    await eventually(() => expect(env.erasures.found('Ubob', 1)).toBeDefined())
    await env.storage.delete('blobs/Arequested')
    // The service may be writing a mark, which by the clock of this test looks like an old unfinished write.
    const found = (await repair()).filter(({ kind }) => kind !== StorageFindingKind.UNFINISHED)
    expect(found).toEqual(uploaded.map((key) => ({ kind: StorageFindingKind.ORPHAN, key, mended: false })))
    now += 7 * day
    await expectStored()
  })
})

test('a repair of a storage without identity is refused', async () => {
  await start()
  await eventually(async () => ((await getIdentity())?.marks.length ?? 0) > 0)
  await eventually(async () => (await env.storage.stat('identity')) !== undefined)
  await waitForSweep()
  // A sweep that compared the identity earlier may still write it once.
  await eventually(async () => {
    await env.storage.delete('identity')
    await expect(repair()).rejects.toMatchObject({ code: Code.FailedPrecondition })
  })
})

test('a storage whose first identity is being written does not count as one that has lost it', async () => {
  await using fresh = await openEnv()
  await renewIdentity(fresh)
  let reads = 0
  const get = (key: string) => (reads++ === 0 ? Promise.resolve(undefined) : fresh.storage.get(key))
  const storage = Object.assign(Object.create(fresh.storage) as typeof fresh.storage, { get })
  expect(await compareIdentity({ db: fresh.db, storage })).toBe('own')
})

test('a storage shared by a server and its copy is foreign to both until one of them adopts it', async () => {
  await using copy = await openEnv()
  const staging = { db: copy.db, storage: env.storage }
  expect(await compareIdentity(env)).toBe('own')
  await renewIdentity(env)
  await copy.db.insert(storageIdentity).values((await getIdentity()) ?? { storageId: '' })
  expect(await compareIdentity(staging)).toBe('own')
  await renewIdentity(staging)
  expect(await compareIdentity(env)).toBe('foreign')
  expect(await compareIdentity(staging)).toBe('foreign')
  await adoptStorage(env)
  expect([await compareIdentity(staging), await compareIdentity(env)]).toEqual(['foreign', 'own'])
})

test.each(['', 'not JSON', 'null', '"text"', '{}'])(
  'a storage whose identity is %j counts as that of another database',
  async (content) => {
    await using fresh = await openEnv()
    await renewIdentity(fresh)
    await fresh.storage.put('identity', Readable.from([Buffer.from(content)]))
    expect(await compareIdentity(fresh)).toBe('foreign')
  },
)
