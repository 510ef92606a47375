import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MessageVideoProcessingStatus } from '@parley/contracts/api'
import { newId } from '@parley/ids'
import type { Service } from '@parley/runtime'
import { eventually, requestErasure } from '@parley/testkit'
import { eq } from 'drizzle-orm'
import { storageKeys } from '../src/engines/storage/storage.ts'
import { assets, assetVariants, videoJobs } from '../src/store/schema.ts'
import { openEnv, publicUrl, type Env } from './_env.ts'
import { animatedImage, plainImage } from './_images.ts'
import { videoStateIn } from './_messaging.ts'
import { claimRequest, sendFile } from './_send-files.ts'
import { startFakeFfmpeg, videoWith, type FakeFfmpeg } from './_fake-ffmpeg.ts'
import { failed, waitForEvents, isPaused, postFile, started, succeeded, publishMessage } from './_videos.ts'

let env: Env
let fake: FakeFfmpeg
let service: Service
beforeAll(async () => {
  env = await openEnv()
  env.rooms.set('Rtea', ['Ualice', 'Ubob'])
  fake = await startFakeFfmpeg()
  service = await env.start(fake.settings, { sweepEveryMs: 100 })
})
afterAll(async () => {
  await env[Symbol.asyncDispose]()
  await fake[Symbol.asyncDispose]()
})

const getAsset = async (assetId: string, userId = 'Ubob') => {
  const { asset } = await env.as(userId).assets.getAsset({ roomId: 'Rtea', assetId })
  return asset
}
const open = (url = '', init: RequestInit = {}) => fetch(url.replace(publicUrl, service.url ?? ''), init)
const variantsOf = (assetId: string) => env.db.select().from(assetVariants).where(eq(assetVariants.assetId, assetId))
const expectNoVariantBytes = async () =>
  expect((await env.storedKeys()).filter((key) => key.startsWith(storageKeys.variants))).toEqual([])

test('the response to a claim says which files will be processed: videos and animations', async () => {
  const files = [
    [videoWith('soon'), 'video/mp4'],
    [await animatedImage(4, 4).gif().toBuffer(), 'image/gif'],
    [await plainImage(4, 4).gif().toBuffer(), 'image/gif'],
  ] as const
  const claimed: boolean[] = []
  for (const [bytes, contentType] of files) {
    const { id } = await sendFile(env, bytes, { contentType })
    const { assets: claims } = await env.internal.claimAssets(claimRequest([id]))
    claimed.push(...claims.map(({ toBeProcessed }) => toBeProcessed))
  }
  expect(claimed).toEqual([true, true, false])
})

test('a posted video is processed: its room is notified, and members can play the renditions', async () => {
  const { assetId, eventId } = await postFile(env, videoWith('hello'))
  await waitForEvents(env, assetId, started, succeeded)
  const [first, last] = env.messaging.eventsOf(assetId)
  expect(first).toMatchObject({
    aggregateType: 'asset',
    version: 1n,
    actorId: '',
    eventId: expect.stringMatching(/^E/),
  })
  expect(videoStateIn(first)).toMatchObject({ status: 'processing', variants: [], hasPoster: false })
  expect(last?.fact).toMatchObject({ value: { assetId, messageEventId: eventId } })
  expect(videoStateIn(last)).toMatchObject({
    ...{ status: 'completed', durationMs: 2500n, width: 1280, height: 720, hasPoster: true, reasonCode: '' },
    variants: [
      { quality: '720p', width: 1280, height: 720 },
      { quality: '480p', width: 854, height: 480 },
    ],
  })
  expect(env.messaging.lastFrameOf(assetId)).toMatchObject({
    roomId: 'Rtea',
    frame: {
      id: last?.eventId,
      event: {
        case: 'assetProcessingSucceeded',
        value: { roomId: 'Rtea', assetId, messageEventId: eventId },
      },
    },
  })

  const video = (await getAsset(assetId))?.videoProcessing
  expect(video).toMatchObject({
    ...{ status: MessageVideoProcessingStatus.COMPLETED, durationMs: 2500n, sourceAvailable: true },
    variants: [{ quality: '720p', size: 17n }, { quality: '480p' }],
  })
  const { assets: batch } = await env.as('Ubob').assets.batchGetAssets({ roomId: 'Rtea', assetIds: [assetId] })
  expect(batch[0]?.videoProcessing?.variants).toHaveLength(2)

  const [best, other] = video?.variants ?? []
  const whole = await open(best?.assetUrl?.url)
  expect([whole.status, whole.headers.get('content-type'), await whole.text()]).toEqual([
    ...[200, 'video/mp4', 'this is 720p.mp4\n'],
  ])
  const part = await open(best?.assetUrl?.url, { headers: { range: 'bytes=8-11' } })
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 8-11/17', '720p'])
  const unchanged = await open(best?.assetUrl?.url, { headers: { 'if-none-match': whole.headers.get('etag') ?? '' } })
  expect(unchanged.status).toBe(304)
  const poster = await open(video?.thumbnailAssetUrl?.url)
  expect([poster.status, poster.headers.get('content-type')]).toEqual([200, 'image/jpeg'])

  const { pathname } = new URL(best?.assetUrl?.url ?? '')
  const signatureOf = (url = '') => new URL(url).search
  expect((await open(`${publicUrl}${pathname}`)).status).toBe(403)
  expect((await open(`${publicUrl}${pathname}${signatureOf(other?.assetUrl?.url)}`)).status).toBe(403)
  expect((await open(`${publicUrl}/assets/files/${assetId}${signatureOf(best?.assetUrl?.url)}`)).status).toBe(403)
  expect((await open(`${publicUrl}${pathname}${signatureOf((await getAsset(assetId))?.assetUrl?.url)}`)).status).toBe(
    403,
  )
  expect((await open(`${publicUrl}/assets/files/${assetId}/video/1080p`)).status).toBe(403)
  expect((await open(`${publicUrl}/assets/files/${assetId}/video/best`)).status).toBe(404)
  env.rooms.set('Rtea', ['Ualice'])
  await eventually(async () => expect((await open(other?.assetUrl?.url)).status).toBe(403))
  env.rooms.set('Rtea', ['Ualice', 'Ubob'])
})

test('GetVideoOutcomes returns the published outcome of a posted video, a failure if it has no job, and nothing while it waits', async () => {
  const done = await postFile(env, videoWith('hello'))
  await waitForEvents(env, done.assetId, started, succeeded)
  // Without its job, it looks like a video posted while processing was off.
  const never = await postFile(env, videoWith('hello'))
  await waitForEvents(env, never.assetId, started, succeeded)
  await env.db.delete(videoJobs).where(eq(videoJobs.assetId, never.assetId))
  const { id: unposted } = await sendFile(env, videoWith('hello'), { contentType: 'video/mp4' })
  const { id: waiting } = await sendFile(env, videoWith('hello'), { contentType: 'video/mp4' })
  await env.db.update(assets).set({ posted: true }).where(eq(assets.id, waiting))
  const job = { assetId: waiting, roomId: 'Rtea', messageEventId: 'E1', imported: false, createdAt: new Date() }
  await env.db.insert(videoJobs).values({ ...job, dueAt: new Date(Date.now() + 3600_000) })

  const assetIds = [done.assetId, never.assetId, unposted, waiting]
  const { outcomes } = await env.internal.getVideoOutcomes({ assetIds })
  const byId = new Map(outcomes.map(({ roomId, event }) => [event?.aggregateId, { roomId, event }]))
  expect([...byId.keys()].toSorted()).toEqual([done.assetId, never.assetId].toSorted())
  const published = env.messaging.eventsOf(done.assetId).at(-1)
  const { roomId, event } = byId.get(done.assetId) ?? {}
  expect([roomId, event?.kind, event?.version]).toEqual(['Rtea', succeeded, published?.version])
  expect(event?.fact).toEqual(published?.fact)
  expect(byId.get(never.assetId)?.event).toMatchObject({ kind: failed, version: 2n })
  await env.db.delete(videoJobs).where(eq(videoJobs.assetId, waiting))
  await expect(env.internal.getVideoOutcomes({ assetIds: Array.from({ length: 101 }, () => 'A') })).rejects.toThrow(
    'at most 100',
  )
})

test('an animation is processed as a video; a still image, a text file and a duplicate event are not', async () => {
  const moving = await postFile(
    env,
    await animatedImage(20, 20)
      .gif({ delay: [100, 100] })
      .toBuffer(),
    'image/gif',
  )
  await waitForEvents(env, moving.assetId, started, succeeded)
  const still = await postFile(env, await plainImage(20, 20).gif().toBuffer(), 'image/gif')
  const text = await postFile(env, Buffer.from('words'), 'text/plain')
  await env.publish('Rtea', {
    id: newId('event'),
    kind: 'message_posted',
    fact: { case: 'messagePosted', value: { attachmentAssetIds: [moving.assetId] } },
  })
  const last = await postFile(env, videoWith('the last one'))
  await waitForEvents(env, last.assetId, started, succeeded)
  await waitForEvents(env, moving.assetId, started, succeeded)
  for (const { assetId } of [still, text]) {
    expect(env.messaging.kindsOf(assetId)).toEqual([])
    expect(await getAsset(assetId)).not.toHaveProperty('videoProcessing')
  }
  expect((await getAsset(moving.assetId))?.videoProcessing?.status).toBe(MessageVideoProcessingStatus.COMPLETED)
})

test.each([
  ['is broken', videoWith('BROKEN')],
  ['has no video stream', videoWith('AUDIO_ONLY')],
  ['is a playlist', Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
  ['is not a video', Buffer.from('x')],
])('a video that %s fails at the first attempt, and its room is notified', async (_, bytes) => {
  const { assetId } = await postFile(env, bytes)
  await waitForEvents(env, assetId, started, failed)
  const state = { status: 'failed', reasonCode: 'processing_failed', variants: [], hasPoster: false }
  expect(videoStateIn(env.messaging.eventsOf(assetId)[1])).toMatchObject(state)
  expect((await getAsset(assetId))?.videoProcessing).toMatchObject({
    ...{ status: MessageVideoProcessingStatus.FAILED, reasonCode: 'processing_failed', sourceAvailable: true },
  })
  expect(await variantsOf(assetId)).toEqual([])
  expect(await fake.folders()).toEqual([])
})

test('a video is processed and announced again if a restored database has no result', async () => {
  const { assetId } = await postFile(env, videoWith('twice'))
  await waitForEvents(env, assetId, started, succeeded)
  await env.db
    .update(videoJobs)
    .set({ result: null, dueAt: new Date(0) })
    .where(eq(videoJobs.assetId, assetId))
  const deleted = await env.db.delete(assetVariants).where(eq(assetVariants.assetId, assetId)).returning()
  for (const { key } of deleted) await env.storage.delete(storageKeys.variant(key))
  await waitForEvents(env, assetId, started, succeeded, succeeded)
  expect(videoStateIn(env.messaging.eventsOf(assetId).at(-1))).toMatchObject({ status: 'completed' })
})

test('a video whose file is missing from the storage fails with original_missing', async () => {
  const { id: assetId } = await sendFile(env, videoWith('lost'), { contentType: 'video/mp4' })
  await env.storage.delete(storageKeys.asset(assetId))
  const eventId = newId('event')
  await env.internal.claimAssets({ roomId: 'Rtea', eventId, userId: 'Ualice', assetIds: [assetId] })
  await publishMessage(env, { assetId, eventId })
  await waitForEvents(env, assetId, started, failed)
  expect((await getAsset(assetId))?.videoProcessing).toMatchObject({
    ...{ reasonCode: 'original_missing', sourceAvailable: false },
  })
})

test('processing of a video is attempted three times if ffmpeg is killed', async () => {
  const before = (await fake.calls()).length
  const { assetId } = await postFile(env, videoWith('KILLED'))
  for (let time = 1; time <= 2; time++) {
    await eventually(async () => expect(await fake.calls()).toHaveLength(before + time))
    await eventually(async () => {
      const [job] = await env.db.select().from(videoJobs).where(eq(videoJobs.assetId, assetId))
      expect(job?.attempts).toBe(time)
      expect(isPaused(job)).toBe(true)
    })
    expect(env.messaging.kindsOf(assetId)).not.toContain(failed)
    await env.db
      .update(videoJobs)
      .set({ dueAt: new Date(0) })
      .where(eq(videoJobs.assetId, assetId))
  }
  await waitForEvents(env, assetId, started, failed)
  expect(await fake.calls()).toHaveLength(before + 3)
})

test('a video waits for a retry when the disk is full', async () => {
  const { assetId } = await postFile(env, videoWith('FULL'))
  await eventually(async () => {
    const [job] = await env.db.select().from(videoJobs).where(eq(videoJobs.assetId, assetId))
    expect(job?.attempts).toBe(1)
    expect(isPaused(job)).toBe(true)
  })
  await env.db.update(assets).set({ doomed: true }).where(eq(assets.id, assetId))
})

test('retracting a message deletes its video and the renditions, even during processing', async () => {
  const before = (await fake.calls()).length
  const ready = await postFile(env, videoWith('ready'))
  await waitForEvents(env, ready.assetId, started, succeeded)
  const processing = await postFile(env, videoWith('WAIT'))
  await eventually(async () => expect(await fake.calls()).toHaveLength(before + 2))
  expect((await getAsset(processing.assetId))?.videoProcessing?.status).toBe(MessageVideoProcessingStatus.PROCESSING)
  for (const { assetId, eventId } of [ready, processing])
    await env.publish('Rtea', {
      kind: 'message_retracted',
      fact: { case: 'messageRetracted', value: { messageEventId: eventId, removedAssetIds: [assetId] } },
    })
  await eventually(async () => {
    const ids = [ready.assetId, processing.assetId]
    const rows = [...(await env.db.select().from(videoJobs)), ...(await env.db.select().from(assetVariants))]
    expect(rows.filter(({ assetId }) => ids.includes(assetId))).toEqual([])
  })
  await fake.release()
  await eventually(async () => expect(await fake.folders()).toEqual([]))
  await waitForEvents(env, processing.assetId, started)

  await requestErasure(env.bus, 'Ualice', 1)
  await eventually(() => expect(env.erasures.found('Ualice', 1)).toBeDefined())
  await expectNoVariantBytes()
  for (const table of [assets, assetVariants, videoJobs]) expect(await env.db.select().from(table)).toEqual([])
})
