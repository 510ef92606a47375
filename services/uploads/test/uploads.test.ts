import { Code, createClient } from '@connectrpc/connect'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { AssetUploadService, AssetUploadStatus, RoomKind } from '@parley/contracts/api'
import type { Service } from '@parley/runtime'
import { eq } from 'drizzle-orm'
import { uploads } from '../src/store/schema.ts'
import { callAs, eventually } from '@parley/testkit'
import { openEnv, publicUrl, storageKinds, type Env } from './_env.ts'
import { uploadRequest, sendChunks, sendFile, sha256 } from './_send-files.ts'

describe.each(storageKinds)('with storage %s', (kind) => {
  let env: Env
  let service: Service
  const alice = () => env.as('Ualice').uploads
  const file = Buffer.from('a file of no great length')

  beforeAll(async () => {
    env = await openEnv(kind)
    service = await env.start({}, { sweepEveryMs: 200 })
  })
  beforeEach(() => {
    env.rooms.unavailable = false
    env.rooms.set('Rtea', ['Ualice', 'Ubob'])
  })
  afterAll(async () => env[Symbol.asyncDispose]())

  const chunk = (uploadId: string, at: number, content: Uint8Array) => ({
    ...{ uploadId, offset: BigInt(at), content },
    chunkSha256: sha256(content),
  })
  const refused = (call: Promise<unknown>, code: Code, message = /./) =>
    expect(call).rejects.toMatchObject({ code, rawMessage: expect.stringMatching(message) })
  const open = async (bytes: Uint8Array = file) =>
    (await alice().createUpload(uploadRequest(bytes))).upload?.uploadId ?? ''

  describe('CreateUpload', () => {
    test('opens an upload session for 15 minutes', async () => {
      const before = Date.now()
      const { upload } = await alice().createUpload(uploadRequest(file))
      expect(upload).toMatchObject({
        ...{ roomId: 'Rtea', status: AssetUploadStatus.OPEN, committedOffset: 0n, size: BigInt(file.length) },
        ...{ maxChunkSize: 524_288, sha256: sha256(file), assetId: '' },
      })
      const lifeMs = Number(upload?.expiresAt?.seconds ?? 0n) * 1000 - before
      expect(lifeMs).toBeGreaterThan(14 * 60_000)
      expect(lifeMs).toBeLessThan(16 * 60_000)
    })

    test('requires membership of a room that is not archived', async () => {
      const as = (userId: string, roomId: string) =>
        env.as(userId).uploads.createUpload(uploadRequest(file, { roomId }))
      env.rooms.set('Rold', ['Ualice'], { archived: true })
      env.rooms.set('Rdm', ['Ualice'], { kind: RoomKind.DM })
      await refused(as('Ustranger', 'Rtea'), Code.PermissionDenied, /not a member/)
      await refused(as('Ualice', 'Rnone'), Code.NotFound)
      await refused(as('Ualice', 'Rold'), Code.FailedPrecondition, /archived/)
      await expect(as('Ualice', 'Rdm')).resolves.toBeDefined()
    })

    test('is unavailable while rooms is unavailable', async () => {
      env.rooms.unavailable = true
      await refused(alice().createUpload(uploadRequest(file)), Code.Unavailable)
    })

    test('refuses files that are empty, too large, videos, or without a name', async () => {
      const create = (changes: object) => alice().createUpload({ ...uploadRequest(file), ...changes })
      await refused(create({ size: 0n }), Code.InvalidArgument, /size/)
      await refused(create({ size: 26_214_401n }), Code.InvalidArgument, /26214400/)
      await expect(create({ size: 26_214_400n })).resolves.toBeDefined()
      await refused(create({ contentType: 'video/mp4' }), Code.InvalidArgument, /video/)
      await refused(create({ filename: ' / ' }), Code.InvalidArgument, /filename/)
      await refused(create({ contentType: 'text/plain\r\nx-evil: 1' }), Code.InvalidArgument, /content_type/)
      await refused(create({ sha256: 'AB' }), Code.InvalidArgument, /sha256/)
    })

    test('accepts videos up to a separate limit if they are processed', async () => {
      await using other = await openEnv()
      other.rooms.set('Rtea', ['Ualice'])
      await other.start({ PARLEY_VIDEO_ENABLED: 'true', PARLEY_VIDEO_MAX_UPLOAD_SIZE: '30 MiB' })
      const create = (size: bigint, contentType: string) =>
        other.as('Ualice').uploads.createUpload({ ...uploadRequest(file), size, contentType })
      await expect(create(31_457_280n, 'video/mp4')).resolves.toBeDefined()
      await refused(create(31_457_281n, 'video/mp4'), Code.InvalidArgument)
      await refused(create(26_214_401n, 'image/png'), Code.InvalidArgument)
    })

    test('opens one session per idempotency key, for concurrent calls and in any process', async () => {
      const second = await env.start()
      const call = (key: string, bytes = file) => {
        const received: { replayed?: string | null } = {}
        const options = {
          headers: { 'idempotency-key': key },
          onHeader: (headers: Headers) => void (received.replayed = headers.get('idempotency-replayed')),
        }
        const uploads = createClient(AssetUploadService, callAs(env.rpc, { userId: 'Ualice' }))
        return uploads.createUpload(uploadRequest(bytes), options).then(({ upload }) => ({ ...received, upload }))
      }
      const answers = await Promise.all([call('K1'), call('K1'), call('K1'), call('K1')])
      expect(new Set(answers.map(({ upload }) => upload?.uploadId)).size).toBe(1)
      expect((await call('K1')).replayed).toBe('true')
      env.rooms.set('Rtea', [])
      expect((await call('K1')).upload?.uploadId).toBe(answers[0]?.upload?.uploadId)
      const uploadId = answers[0]?.upload?.uploadId ?? ''
      const part = file.subarray(0, 4)
      await alice().uploadChunk(chunk(uploadId, 0, part))
      expect((await call('K1')).upload).toMatchObject({ committedOffset: 4n, status: AssetUploadStatus.OPEN })
      await alice().cancelUpload({ uploadId })
      expect((await call('K1')).upload).toMatchObject({ uploadId, status: AssetUploadStatus.CANCELLED })
      await refused(call('K1', Buffer.from('another')), Code.InvalidArgument, /Idempotency-Key/)
      await second[Symbol.asyncDispose]()
    })
  })

  describe('UploadChunk', () => {
    test('appends at the committed offset, which GetUpload returns', async () => {
      const uploadId = await open()
      const { upload } = await alice().uploadChunk(chunk(uploadId, 0, file.subarray(0, 10)))
      expect(upload).toMatchObject({ committedOffset: 10n, status: AssetUploadStatus.OPEN })
      expect((await alice().getUpload({ uploadId })).upload).toMatchObject({ committedOffset: 10n })
    })

    test('refuses a chunk at another offset, with a wrong checksum, too large, or beyond the announced size', async () => {
      const uploadId = await open()
      await alice().uploadChunk(chunk(uploadId, 0, file.subarray(0, 10)))
      const send = (changes: object) => alice().uploadChunk({ ...chunk(uploadId, 10, file.subarray(10)), ...changes })
      await refused(send({ offset: 0n }), Code.InvalidArgument, /10 bytes are stored/)
      await refused(send({ offset: 11n }), Code.InvalidArgument, /offset/)
      await refused(send({ chunkSha256: sha256(file) }), Code.InvalidArgument, /chunk_sha256/)
      await refused(send({ content: new Uint8Array() }), Code.InvalidArgument, /content/)
      await refused(alice().uploadChunk(chunk(uploadId, 10, file)), Code.InvalidArgument, /exceeds/)
      const large = await open(Buffer.alloc(600_000))
      await refused(alice().uploadChunk(chunk(large, 0, Buffer.alloc(524_289))), Code.InvalidArgument, /524288/)
      await expect(alice().uploadChunk(chunk(large, 0, Buffer.alloc(524_288)))).resolves.toBeDefined()
      await expect(send({})).resolves.toBeDefined()
    })

    test('stores one of several concurrent chunks at the same offset, and no bytes of the others', async () => {
      const uploadId = await open()
      const all = await Promise.allSettled(
        Array.from({ length: 6 }, () => alice().uploadChunk(chunk(uploadId, 0, file.subarray(0, 10)))),
      )
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const one of all)
        if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: Code.InvalidArgument })
      expect((await alice().getUpload({ uploadId })).upload).toMatchObject({ committedOffset: 10n })
      const stored = (await env.storedKeys()).filter((key) => key.includes(uploadId))
      expect(stored).toHaveLength(1)
    })
  })

  test('an upload session is accessible only to its owner, and an unknown one is not found', async () => {
    const uploadId = await open()
    const bob = env.as('Ubob').uploads
    const calls = (uploads: typeof bob, id: string) => [
      () => uploads.getUpload({ uploadId: id }),
      () => uploads.uploadChunk(chunk(id, 0, file)),
      () => uploads.completeUpload({ uploadId: id }),
      () => uploads.cancelUpload({ uploadId: id }),
    ]
    for (const call of calls(bob, uploadId)) await refused(call(), Code.PermissionDenied)
    for (const call of calls(alice(), 'Anone')) await refused(call(), Code.NotFound)
  })

  describe('CompleteUpload', () => {
    test('assembles the file once, regardless of repeated calls, and deletes the chunks', async () => {
      const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, n) => n % 251))
      const uploadId = await sendChunks(env, bytes, { filename: 'data.bin', contentType: '', chunkBytes: 999 })
      const answers = await Promise.all([1, 2, 3].map(() => alice().completeUpload({ uploadId })))
      answers.push(await alice().completeUpload({ uploadId }))
      const [first] = answers
      expect(new Set(answers.map(({ asset }) => asset?.id)).size).toBe(1)
      expect(first?.upload).toMatchObject({ status: AssetUploadStatus.COMPLETED, assetId: first?.asset?.id })
      expect(first?.asset).toMatchObject({
        ...{ filename: 'data.bin', contentType: 'application/octet-stream', size: 5_000n, width: 0, height: 0 },
        assetUrl: { url: expect.stringContaining(`${publicUrl}/assets/files/${first?.asset?.id}?access=`) },
      })
      expect(first?.asset?.thumbnailAssetUrl).toBeUndefined()
      await eventually(async () => {
        const stored = (await env.storedKeys()).filter((key) => key.includes(uploadId))
        expect(stored).toEqual([])
      })
    })

    test('requires all bytes, the announced checksum, and the same permissions as CreateUpload', async () => {
      const short = await open()
      await alice().uploadChunk(chunk(short, 0, file.subarray(0, 10)))
      await refused(alice().completeUpload({ uploadId: short }), Code.InvalidArgument, /10 of 25/)
      const { upload } = await alice().createUpload({ ...uploadRequest(file), sha256: sha256(Buffer.from('other')) })
      const wrong = upload?.uploadId ?? ''
      await alice().uploadChunk(chunk(wrong, 0, file))
      await refused(alice().completeUpload({ uploadId: wrong }), Code.InvalidArgument, /sha256/)

      const uploadId = await sendChunks(env, file)
      env.rooms.set('Rtea', [])
      await refused(alice().completeUpload({ uploadId }), Code.PermissionDenied)
      env.rooms.set('Rtea', ['Ualice'], { archived: true })
      await refused(alice().completeUpload({ uploadId }), Code.FailedPrecondition)
      env.rooms.set('Rtea', ['Ualice'])
      await expect(alice().completeUpload({ uploadId })).resolves.toBeDefined()
      expect((await env.storedKeys()).filter((key) => key.startsWith('files/')).length).toBeGreaterThan(0)
    })

    test('ends the session, which then accepts no chunks and cannot be cancelled', async () => {
      const uploadId = await sendChunks(env, file)
      await alice().completeUpload({ uploadId })
      await refused(alice().uploadChunk(chunk(uploadId, 25, file)), Code.InvalidArgument, /completed/)
      await refused(alice().cancelUpload({ uploadId }), Code.InvalidArgument, /completed/)
    })

    test('sanitizes file names', async () => {
      const { filename } = await sendFile(env, file, { filename: ' C:\\Users\\me\\re\u202eport\u0007.txt ' })
      expect(filename).toBe('report.txt')
    })
  })

  test('a cancelled session is not found, and its bytes are deleted', async () => {
    const uploadId = await open()
    await alice().uploadChunk(chunk(uploadId, 0, file.subarray(0, 10)))
    const { upload } = await alice().cancelUpload({ uploadId })
    expect(upload).toMatchObject({ status: AssetUploadStatus.CANCELLED })
    expect((await env.storedKeys()).filter((key) => key.includes(uploadId))).toEqual([])
    for (const call of [
      () => alice().getUpload({ uploadId }),
      () => alice().uploadChunk(chunk(uploadId, 10, file.subarray(10))),
      () => alice().completeUpload({ uploadId }),
      () => alice().cancelUpload({ uploadId }),
    ])
      await refused(call(), Code.NotFound)
  })

  test('an open session expires after 15 minutes even if it is in use, a completed one after 24 hours', async () => {
    // A separate environment, because the jobs with this clock would delete the sessions of other tests.
    await using other = await openEnv(kind)
    other.rooms.set('Rtea', ['Ualice'])
    let clock = 0
    const advanceMinutes = (count: number) => (clock += count * 60_000)
    await other.start({}, { now: () => new Date(Date.now() + clock), sweepEveryMs: 200 })
    const alice = () => other.as('Ualice').uploads
    const uploadId = (await alice().createUpload(uploadRequest(file))).upload?.uploadId ?? ''
    advanceMinutes(14)
    await alice().uploadChunk(chunk(uploadId, 0, file.subarray(0, 10)))
    const done = await sendChunks(other, file)
    await alice().completeUpload({ uploadId: done })
    advanceMinutes(1)
    await refused(alice().getUpload({ uploadId }), Code.NotFound)
    await refused(alice().completeUpload({ uploadId }), Code.NotFound)
    await eventually(async () => expect((await other.storedKeys()).filter((key) => key.includes(uploadId))).toEqual([]))
    advanceMinutes(23 * 60)
    await expect(alice().getUpload({ uploadId: done })).resolves.toBeDefined()
    advanceMinutes(60)
    await refused(alice().getUpload({ uploadId: done }), Code.NotFound)
  })

  test('a session is either completed or cancelled, never both', async () => {
    for (let time = 0; time < 5; time++) {
      const uploadId = await sendChunks(env, file)
      const [completed, cancelled] = await Promise.allSettled([
        alice().completeUpload({ uploadId }),
        alice().cancelUpload({ uploadId }),
      ])
      expect([completed.status, cancelled.status].sort()).toEqual(['fulfilled', 'rejected'])
      const [end] = await Promise.allSettled([alice().getUpload({ uploadId })])
      if (completed.status === 'fulfilled') expect(end).toMatchObject({ value: { upload: { status: 2 } } })
      else expect(end).toMatchObject({ reason: { code: Code.NotFound } })
    }
  })

  test('chunks may be small, but the number of small ones is limited', async () => {
    const bytes = Buffer.alloc(200_000)
    const uploadId = await open(bytes)
    await alice().uploadChunk(chunk(uploadId, 0, bytes.subarray(0, 1)))
    await env.db.update(uploads).set({ smallChunks: 4_095 }).where(eq(uploads.id, uploadId))
    await alice().uploadChunk(chunk(uploadId, 1, bytes.subarray(1, 10)))
    await refused(alice().uploadChunk(chunk(uploadId, 10, bytes.subarray(10, 20))), Code.InvalidArgument, /65536/)
    await alice().uploadChunk(chunk(uploadId, 10, bytes.subarray(10, 199_990)))
    await alice().uploadChunk(chunk(uploadId, 199_990, bytes.subarray(199_990)))
    await expect(alice().completeUpload({ uploadId })).resolves.toMatchObject({ asset: { size: 200_000n } })
  })

  test('concurrent calls complete an upload once', async () => {
    const uploadId = await sendChunks(env, Buffer.alloc(5_000_000, 7))
    const answers = await Promise.all(Array.from({ length: 8 }, () => alice().completeUpload({ uploadId })))
    expect(new Set(answers.map(({ asset }) => asset?.id)).size).toBe(1)
    const stored = (await env.storedKeys()).filter((key) => key === `files/${answers[0]?.asset?.id}`)
    expect(stored).toHaveLength(1)
  })

  test('a session can be continued in another process', async () => {
    const uploadId = await open()
    await alice().uploadChunk(chunk(uploadId, 0, file.subarray(0, 10)))
    await service[Symbol.asyncDispose]()
    service = await env.start({}, { sweepEveryMs: 200 })
    await alice().uploadChunk(chunk(uploadId, 10, file.subarray(10)))
    await expect(alice().completeUpload({ uploadId })).resolves.toMatchObject({ asset: { size: 25n } })
  })
})
