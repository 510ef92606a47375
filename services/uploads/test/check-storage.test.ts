import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Code, createClient } from '@connectrpc/connect'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { and, eq } from 'drizzle-orm'
import { StorageFindingKind, UploadsOperatorService } from '@parley/contracts/internal'
import type { Service } from '@parley/runtime'
import { eventually } from '@parley/testkit'
import { assets, assetVariants, blobs, serverImages, uploads } from '../src/store/schema.ts'
import { openEnv, putBlob, storageKinds, storeAvatar, type Env } from './_env.ts'
import { plainImage } from './_images.ts'
import { claimRequest, sendChunks, sendFile } from './_send-files.ts'

const hour = 3_600_000
const { ORPHAN, UNFINISHED, MISSING, DAMAGED, RETURNED } = StorageFindingKind

describe.each(storageKinds)('with storage %s', (kind) => {
  let env: Env
  let service: Service
  let clock = 0
  beforeAll(async () => {
    env = await openEnv(kind)
    env.rooms.set('Rtea', ['Ualice'])
    const createdAt = new Date(Date.now() - 2 * hour)
    await env.db.insert(blobs).values({ id: 'Aold', callerId: 'Ualice', nonce: 'old', size: 1, createdAt })
    service = await env.start({}, { now: () => new Date(Date.now() + clock) })
    // Waits for the sweep after the start. The next one is minutes away, so that tests may advance the clock.
    await eventually(async () => expect(await env.db.select().from(blobs)).toEqual([]))
  })
  beforeEach(() => {
    clock = 0
  })
  afterAll(async () => env[Symbol.asyncDispose]())

  const put = (key: string, content = 'bytes') => env.storage.put(key, Readable.from([Buffer.from(content)]))
  const operator = () => createClient(UploadsOperatorService, env.rpc.transport())
  async function check(repair = false, acceptLoss = false) {
    const findings: { kind: StorageFindingKind; key: string; mended: boolean }[] = []
    let cursor = ''
    let checked = 0
    do {
      const answer = await operator().checkStorage({ cursor, repair, acceptLoss }, { timeoutMs: 30_000 })
      findings.push(...answer.findings.map(({ kind, key, mended }) => ({ kind, key, mended })))
      cursor = answer.nextCursor
      checked += answer.checked
    } while (cursor !== '')
    return { checked, findings }
  }
  const findAll = async (repair = false) => (await check(repair)).findings
  const alice = () => env.as('Ualice')

  test('the check accepts files in use, being uploaded or about to be deleted', async () => {
    await sendFile(env, Buffer.from('a file'))
    await sendChunks(env, Buffer.from('not completed'))
    await storeAvatar(env, service, await plainImage(9, 9).png().toBuffer())
    await putBlob(service, Buffer.from('a blob'))
    const { checked, findings } = await check()
    expect(findings).toEqual([])
    expect(checked).toBe(8)
    clock = 60 * hour
    expect(await findAll(true)).toEqual([])
  })

  test('the check finds nothing while people upload, complete and cancel', async () => {
    let isOver = false
    const uploadRepeatedly = async (userId: string) => {
      while (!isOver) {
        await sendFile(env, randomBytes(2_000), { userId, chunkBytes: 700 })
        const uploadId = await sendChunks(env, randomBytes(1_000), { userId })
        await env.as(userId).uploads.cancelUpload({ uploadId })
        await env.db
          .update(assets)
          .set({ doomed: true })
          .where(and(eq(assets.ownerId, userId), eq(assets.doomed, false)))
      }
    }
    const people = ['Ubob', 'Ucarl', 'Udora']
    env.rooms.set('Rtea', ['Ualice', ...people])
    const all = Promise.all(people.map(uploadRepeatedly))
    all.catch(() => undefined)
    for (let time = 0; time < 3; time++) expect(await findAll(true)).toEqual([])
    isOver = true
    await all
  })

  test.each(['blobs/Alone', 'chunks/Alone-Aone', 'files/Alone', 'variants/Alone', 'server/Alone'])(
    'bytes without a row are reported after two hours and deleted a week later: %s',
    async (key) => {
      await put(key)
      expect(await findAll(true)).toEqual([])
      clock = 3 * hour
      expect(await findAll()).toEqual([{ kind: ORPHAN, key, mended: false }])
      expect(await findAll(true)).toEqual([{ kind: ORPHAN, key, mended: false }])
      clock = 7 * 24 * hour
      expect(await findAll(true)).toEqual([{ kind: ORPHAN, key, mended: false }])
      clock += 3 * hour
      expect(await findAll()).toEqual([{ kind: ORPHAN, key, mended: false }])
      expect(await findAll(true)).toEqual([{ kind: ORPHAN, key, mended: true }])
      expect(await env.storage.stat(key)).toBeUndefined()
      expect(await findAll()).toEqual([])
    },
  )

  test('an unfinished write is reported, and discarded by a repair after a day', async () => {
    await beginWrite(env)
    expect(await findAll(true)).toEqual([])
    clock = 25 * hour
    expect(await findAll()).toMatchObject([{ kind: UNFINISHED, mended: false }])
    expect(await findAll(true)).toMatchObject([{ kind: UNFINISHED, mended: true }])
    expect(await findAll()).toEqual([])
  })

  test('a repair hides a file without bytes, and shows it again when its bytes are back', async () => {
    const { id } = await sendFile(env, Buffer.from('a file'))
    const key = `files/${id}`
    await env.storage.delete(key)
    expect(await findAll()).toEqual([{ kind: MISSING, key, mended: false }])
    const requesting = { roomId: 'Rtea', assetId: id }
    await expect(alice().assets.getAsset(requesting)).resolves.toBeDefined()
    expect(await findAll(true)).toEqual([{ kind: MISSING, key, mended: true }])
    expect(await findAll(true)).toEqual([])
    await expect(alice().assets.getAsset(requesting)).rejects.toMatchObject({ code: Code.NotFound })
    const claim = () => env.internal.claimAssets(claimRequest([id], { eventId: 'Elost' }))
    await expect(claim()).rejects.toMatchObject({ code: Code.InvalidArgument })
    await put(key, 'a file')
    expect(await findAll(true)).toEqual([{ kind: RETURNED, key, mended: true }])
    await expect(claim()).resolves.toBeDefined()
    expect(await findAll()).toEqual([])
  })

  test('a truncated file is reported and marked as lost', async () => {
    const { id } = await sendFile(env, Buffer.from('a file'))
    await put(`files/${id}`, 'a')
    expect(await findAll(true)).toEqual([{ kind: DAMAGED, key: `files/${id}`, mended: true }])
    expect(await findAll()).toEqual([])
  })

  test('a missing chunk ends its upload session', async () => {
    const uploadId = await sendChunks(env, Buffer.from('a file in two'), { chunkBytes: 7 })
    const [key = ''] = (await env.storedKeys()).filter((one) => one.includes(uploadId))
    await env.storage.delete(key)
    expect(await findAll(true)).toEqual([{ kind: MISSING, key, mended: true }])
    expect(await findAll()).toEqual([])
    await expect(alice().uploads.getUpload({ uploadId })).rejects.toMatchObject({ code: Code.NotFound })
    await env.db.delete(uploads).where(eq(uploads.id, uploadId))
  })

  test('an image without bytes is marked as lost; the rows of a blob and a rendition without bytes are deleted', async () => {
    const image = await storeAvatar(env, service, await plainImage(9, 9).png().toBuffer())
    const blob = await putBlob(service, Buffer.from('another blob'))
    const { id: assetId } = await sendFile(env, Buffer.from('a video'))
    const variant = { key: 'Arendition', assetId, name: 'poster', contentType: 'image/jpeg', size: 5, sha256: '' }
    await env.db.insert(assetVariants).values({ ...variant, createdAt: new Date() })
    for (const key of [`server/${image}`, `blobs/${blob}`]) await env.storage.delete(key)
    const missing = [`blobs/${blob}`, 'variants/Arendition', `server/${image}`]
    expect(await findAll(true)).toEqual(missing.map((key) => ({ kind: MISSING, key, mended: true })))
    expect(await findAll()).toEqual([])
    expect((await fetch(`${service.url}/assets/server/${image}`)).status).toBe(404)
    expect(await env.db.select().from(blobs).where(eq(blobs.id, blob))).toEqual([])
    expect(await env.db.select().from(assetVariants)).toEqual([])
    expect(await env.db.select().from(serverImages).where(eq(serverImages.key, image))).toMatchObject([{ lost: true }])
  })

  describe('when most of the bytes are missing', () => {
    const refused = (text: string) => ({ code: Code.FailedPrecondition, rawMessage: expect.stringContaining(text) })
    const many = (name: string, count: number) => Array.from({ length: count }, (_, n) => `A${name}${n}`)
    const insertFiles = (ids: string[]) =>
      env.db.insert(assets).values(
        ids.map((id) => ({
          ...{ id, roomId: 'Rtea', ownerId: 'Ualice', filename: 'x', contentType: 'text/plain', size: 5, sha256: '' },
          ...{ width: 0, height: 0 },
          ...{ createdAt: new Date() },
        })),
      )
    const countLost = async () => (await env.db.select().from(assets).where(eq(assets.lost, true))).length
    beforeEach(async () => {
      for (const key of await env.storedKeys()) await env.storage.delete(key)
      await env.db.delete(assets)
      await env.db.delete(uploads)
      await env.db.delete(blobs)
      await env.db.delete(serverImages)
    })

    test('no row is marked while the storage is empty, unless the loss is accepted', async () => {
      await insertFiles(many('empty', 12))
      await expect(check(true)).rejects.toMatchObject(refused('is its disk mounted'))
      expect(await countLost()).toBe(0)
      expect(await findAll()).toHaveLength(12)
      expect((await check(true, true)).findings.filter(({ mended }) => mended)).toHaveLength(12)
      expect(await countLost()).toBe(12)
      expect(await findAll(true)).toEqual([])
    })

    test('no row is marked while the bytes of most rows are missing', async () => {
      await sendFile(env, Buffer.from('stored on the empty disk'))
      await insertFiles(many('elsewhere', 60))
      await expect(check(true)).rejects.toMatchObject(refused('60 of 61 rows'))
      expect(await countLost()).toBe(0)
    })

    test('bytes without a row are not deleted', async () => {
      await insertFiles(many('ours', 60))
      await put('files/Atheirs')
      clock = 25 * hour
      await expect(check(true)).rejects.toMatchObject(refused('60 of 60 rows'))
      expect(await env.storage.stat('files/Atheirs')).toBeDefined()
    })

    test('a storage with nothing but blobs is not refused as empty', async () => {
      for (let n = 0; n < 10; n++) await putBlob(service, Buffer.from(`blob ${n}`))
      expect(await findAll(true)).toEqual([])
    })

    test('a few missing files are marked even if nothing else is stored', async () => {
      await insertFiles(many('few', 3))
      expect((await findAll(true)).map(({ kind, mended }) => [kind, mended])).toEqual(
        Array.from({ length: 3 }, () => [MISSING, true]),
      )
    })
  })

  test('an invalid cursor is refused', async () => {
    for (const cursor of ['x', 'nothing:', 'objects-files', 'rows-assets:a b', 'objects-files:/x', 'unfinished:x//y'])
      await expect(operator().checkStorage({ cursor })).rejects.toMatchObject({ code: Code.InvalidArgument })
  })

  const checkPages = async () => {
    const keys = Array.from({ length: 503 }, (_, n) => `files/Amany${String(n).padStart(4, '0')}`)
    for (let at = 0; at < keys.length; at += 50) await Promise.all(keys.slice(at, at + 50).map((key) => put(key)))
    clock = 25 * hour
    expect((await findAll(true)).map(({ key }) => key)).toEqual(keys)
    clock += 7 * 24 * hour
    expect((await findAll(true)).filter(({ mended }) => mended)).toHaveLength(503)
    expect(await findAll()).toEqual([])
  }
  test('no unfinished write is omitted or repeated if others begin or end between two pages', async () => {
    const { s3, folder } = env
    const pathOf = (name: string) => join(folder, 'unfinished', name)
    const begin = (name: string) => (s3 ? s3.beginUpload(`files/${name}`, name) : writeFile(pathOf(name), 'x'))
    const names = Array.from({ length: 503 }, (_, n) => `Awrite${String(n).padStart(3, '0')}`)
    await Promise.all(names.map(begin))
    clock = 20 * hour
    const checkPage = async (cursor: string) => {
      const { findings, nextCursor } = await operator().checkStorage({ cursor, repair: true }, { timeoutMs: 30_000 })
      return { names: findings.map(({ key }) => key.replace('files/', '')), nextCursor }
    }
    const first = await checkPage('unfinished:')
    clock = 25 * hour
    for (const { discard } of await env.storage.unfinishedAfter('', 3)) await discard()
    await begin('Aearlier')
    const second = await checkPage(first.nextCursor)
    expect([...first.names, ...second.names]).toEqual(names)
    expect(second.nextCursor).toBe('')
    for await (const { discard } of env.storage.unfinished()) await discard()
  })

  const checkUnfinishedPages = async () => {
    const names = Array.from({ length: 1_003 }, (_, n) => `many${n}`)
    await Promise.all(names.map((name) => writeFile(join(env.folder, 'unfinished', name), 'x')))
    clock = 20 * hour
    const young = await findAll(true)
    expect([young.length, new Set(young.map(({ key }) => key)).size]).toEqual([1_003, 1_003])
    clock = 25 * hour
    expect((await findAll(true)).filter(({ mended }) => mended)).toHaveLength(1_003)
    expect(await findAll()).toEqual([])
  }
  // storage.test.ts tests pages of listings with each storage. Here the S3 server of the tests would be too slow.
  if (kind === 'disk') {
    test('a check reads more than one page', checkPages)
    test('a check reads more than one page of unfinished writes', checkUnfinishedPages)
  }
})

async function beginWrite({ s3, storage, folder }: Env): Promise<void> {
  if (!s3) return writeFile(join(folder, 'unfinished/half'), 'x')
  s3.fault = ({ url, method }) => (url?.includes('partNumber=2') || method === 'DELETE' ? 'refuse' : undefined)
  await expect(storage.put('files/Ahalf', Readable.from([Buffer.alloc(20_000_000)]))).rejects.toThrow()
  s3.fault = () => undefined
}
