import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MessageVideoProcessingStatus } from '@parley/contracts/api'
import { newId } from '@parley/ids'
import type { Service } from '@parley/runtime'
import { eventually, requestErasure } from '@parley/testkit'
import { eq } from 'drizzle-orm'
import { storageKeys } from '../src/engines/storage/storage.ts'
import { assets, assetVariants, videoJobs } from '../src/store/schema.ts'
import { openEnv, publicUrl, type Env } from './_env.ts'
import { animated, plain } from './_images.ts'
import { videoIn } from './_messaging.ts'
import { claiming, sendFile } from './_sending.ts'
import { standInFfmpeg, videoSaying, type StandIn } from './_stand-in-ffmpeg.ts'
import { failed, untilReceived, isPaused, postFile, started, succeeded, publishPosted } from './_videos.ts'

let env: Env
let standIn: StandIn
let service: Service
beforeAll(async () => {
  env = await openEnv()
  env.rooms.set('Rtea', ['Ualice', 'Ubob'])
  standIn = await standInFfmpeg()
  service = await env.start(standIn.settings, { sweepEveryMs: 100 })
})
afterAll(async () => {
  await env[Symbol.asyncDispose]()
  await standIn[Symbol.asyncDispose]()
})

const shown = async (assetId: string, userId = 'Ubob') => {
  const { asset } = await env.as(userId).assets.getAsset({ roomId: 'Rtea', assetId })
  return asset
}
const open = (url = '', init: RequestInit = {}) => fetch(url.replace(publicUrl, service.url ?? ''), init)
const variantsOf = (assetId: string) => env.db.select().from(assetVariants).where(eq(assetVariants.assetId, assetId))
const noVariantsLie = async () =>
  expect((await env.storedKeys()).filter((key) => key.startsWith(storageKeys.variants))).toEqual([])

test('claiming a video or animation announces that it will be processed', async () => {
  const files = [
    [videoSaying('soon'), 'video/mp4'],
    [await animated(4, 4).gif().toBuffer(), 'image/gif'],
    [await plain(4, 4).gif().toBuffer(), 'image/gif'],
  ] as const
  const claimed: boolean[] = []
  for (const [bytes, contentType] of files) {
    const { id } = await sendFile(env, bytes, { contentType })
    const { assets: claims } = await env.internal.claimAssets(claiming([id]))
    claimed.push(...claims.map(({ toBeProcessed }) => toBeProcessed))
  }
  expect(claimed).toEqual([true, true, false])
})

test('a posted video is processed: its room is notified, and members can play the renditions', async () => {
  const { assetId, eventId } = await postFile(env, videoSaying('hello'))
  await untilReceived(env, assetId, started, succeeded)
  const [first, last] = env.messaging.of(assetId)
  expect(first).toMatchObject({
    aggregateType: 'asset',
    version: 1n,
    actorId: '',
    eventId: expect.stringMatching(/^E/),
  })
  expect(videoIn(first)).toMatchObject({ status: 'processing', variants: [], hasPoster: false })
  expect(last?.fact).toMatchObject({ value: { assetId, messageEventId: eventId } })
  expect(videoIn(last)).toMatchObject({
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

  const video = (await shown(assetId))?.videoProcessing
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
  const known = await open(best?.assetUrl?.url, { headers: { 'if-none-match': whole.headers.get('etag') ?? '' } })
  expect(known.status).toBe(304)
  const poster = await open(video?.thumbnailAssetUrl?.url)
  expect([poster.status, poster.headers.get('content-type')]).toEqual([200, 'image/jpeg'])

  const { pathname } = new URL(best?.assetUrl?.url ?? '')
  const ticketOf = (url = '') => new URL(url).search
  expect((await open(`${publicUrl}${pathname}`)).status).toBe(403)
  expect((await open(`${publicUrl}${pathname}${ticketOf(other?.assetUrl?.url)}`)).status).toBe(403)
  expect((await open(`${publicUrl}/assets/files/${assetId}${ticketOf(best?.assetUrl?.url)}`)).status).toBe(403)
  expect((await open(`${publicUrl}${pathname}${ticketOf((await shown(assetId))?.assetUrl?.url)}`)).status).toBe(403)
  expect((await open(`${publicUrl}/assets/files/${assetId}/video/1080p`)).status).toBe(403)
  expect((await open(`${publicUrl}/assets/files/${assetId}/video/best`)).status).toBe(404)
  env.rooms.set('Rtea', ['Ualice'])
  await eventually(async () => expect((await open(other?.assetUrl?.url)).status).toBe(403))
  env.rooms.set('Rtea', ['Ualice', 'Ubob'])
})

test('the outcome of a video is reported to messaging again, with the version of the first report', async () => {
  const done = await postFile(env, videoSaying('hello'))
  await untilReceived(env, done.assetId, started, succeeded)
  // Posted while video processing was off.
  const never = await postFile(env, videoSaying('hello'))
  await untilReceived(env, never.assetId, started, succeeded)
  await env.db.delete(videoJobs).where(eq(videoJobs.assetId, never.assetId))
  const { id: unposted } = await sendFile(env, videoSaying('hello'), { contentType: 'video/mp4' })
  const { id: waiting } = await sendFile(env, videoSaying('hello'), { contentType: 'video/mp4' })
  await env.db.update(assets).set({ posted: true }).where(eq(assets.id, waiting))
  const job = { assetId: waiting, roomId: 'Rtea', messageEventId: 'E1', imported: false, createdAt: new Date() }
  await env.db.insert(videoJobs).values({ ...job, dueAt: new Date(Date.now() + 3600_000) })

  const assetIds = [done.assetId, never.assetId, unposted, waiting]
  const { outcomes } = await env.internal.getVideoOutcomes({ assetIds })
  const byId = new Map(outcomes.map(({ roomId, event }) => [event?.aggregateId, { roomId, event }]))
  expect([...byId.keys()].toSorted()).toEqual([done.assetId, never.assetId].toSorted())
  const published = env.messaging.of(done.assetId).at(-1)
  const { roomId, event } = byId.get(done.assetId) ?? {}
  expect([roomId, event?.kind, event?.version]).toEqual(['Rtea', succeeded, published?.version])
  expect(event?.fact).toEqual(published?.fact)
  expect(byId.get(never.assetId)?.event).toMatchObject({ kind: failed, version: 2n })
  await env.db.delete(videoJobs).where(eq(videoJobs.assetId, waiting))
  await expect(env.internal.getVideoOutcomes({ assetIds: Array.from({ length: 101 }, () => 'A') })).rejects.toThrow(
    'at most 100',
  )
})

test('an animation becomes a video; a still image, another file and a repeated event are ignored', async () => {
  const moving = await postFile(
    env,
    await animated(20, 20)
      .gif({ delay: [100, 100] })
      .toBuffer(),
    'image/gif',
  )
  await untilReceived(env, moving.assetId, started, succeeded)
  const still = await postFile(env, await plain(20, 20).gif().toBuffer(), 'image/gif')
  const text = await postFile(env, Buffer.from('words'), 'text/plain')
  await env.publish('Rtea', {
    id: newId('event'),
    kind: 'message_posted',
    fact: { case: 'messagePosted', value: { attachmentAssetIds: [moving.assetId] } },
  })
  const last = await postFile(env, videoSaying('the last one'))
  await untilReceived(env, last.assetId, started, succeeded)
  await untilReceived(env, moving.assetId, started, succeeded)
  for (const { assetId } of [still, text]) {
    expect(env.messaging.kindsOf(assetId)).toEqual([])
    expect(await shown(assetId)).not.toHaveProperty('videoProcessing')
  }
  expect((await shown(moving.assetId))?.videoProcessing?.status).toBe(MessageVideoProcessingStatus.COMPLETED)
})

test.each([
  ['is broken', videoSaying('BROKEN')],
  ['has no video stream', videoSaying('SILENT')],
  ['is a playlist', Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
  ['is empty', Buffer.from('x')],
])('a video that %s fails once, and this is announced', async (_, bytes) => {
  const { assetId } = await postFile(env, bytes)
  await untilReceived(env, assetId, started, failed)
  const state = { status: 'failed', reasonCode: 'processing_failed', variants: [], hasPoster: false }
  expect(videoIn(env.messaging.of(assetId)[1])).toMatchObject(state)
  expect((await shown(assetId))?.videoProcessing).toMatchObject({
    ...{ status: MessageVideoProcessingStatus.FAILED, reasonCode: 'processing_failed', sourceAvailable: true },
  })
  expect(await variantsOf(assetId)).toEqual([])
  expect(await standIn.folders()).toEqual([])
})

test('the outcome is announced again after a restore of the database', async () => {
  const { assetId } = await postFile(env, videoSaying('twice'))
  await untilReceived(env, assetId, started, succeeded)
  await env.db
    .update(videoJobs)
    .set({ result: null, dueAt: new Date(0) })
    .where(eq(videoJobs.assetId, assetId))
  const made = await env.db.delete(assetVariants).where(eq(assetVariants.assetId, assetId)).returning()
  for (const { key } of made) await env.storage.delete(storageKeys.variant(key))
  await untilReceived(env, assetId, started, succeeded, succeeded)
  expect(videoIn(env.messaging.of(assetId).at(-1))).toMatchObject({ status: 'completed' })
})

test('a video without bytes fails with original_missing', async () => {
  const { id: assetId } = await sendFile(env, videoSaying('lost'), { contentType: 'video/mp4' })
  await env.storage.delete(storageKeys.asset(assetId))
  const eventId = newId('event')
  await env.internal.claimAssets({ roomId: 'Rtea', eventId, userId: 'Ualice', assetIds: [assetId] })
  await publishPosted(env, { assetId, eventId })
  await untilReceived(env, assetId, started, failed)
  expect((await shown(assetId))?.videoProcessing).toMatchObject({
    ...{ reasonCode: 'original_missing', sourceAvailable: false },
  })
})

test('a video whose programs are killed is tried three times', async () => {
  const before = (await standIn.begun()).length
  const { assetId } = await postFile(env, videoSaying('KILLED'))
  for (let time = 1; time <= 2; time++) {
    await eventually(async () => expect(await standIn.begun()).toHaveLength(before + time))
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
  await untilReceived(env, assetId, started, failed)
  expect(await standIn.begun()).toHaveLength(before + 3)
})

test('a video is retried when the disk is full', async () => {
  const { assetId } = await postFile(env, videoSaying('FULL'))
  await eventually(async () => {
    const [job] = await env.db.select().from(videoJobs).where(eq(videoJobs.assetId, assetId))
    expect(job?.attempts).toBe(1)
    expect(isPaused(job)).toBe(true)
  })
  await env.db.update(assets).set({ doomed: true }).where(eq(assets.id, assetId))
})

test('a deleted video is deleted completely, even during processing', async () => {
  const before = (await standIn.begun()).length
  const ready = await postFile(env, videoSaying('ready'))
  await untilReceived(env, ready.assetId, started, succeeded)
  const underWay = await postFile(env, videoSaying('WAIT'))
  await eventually(async () => expect(await standIn.begun()).toHaveLength(before + 2))
  expect((await shown(underWay.assetId))?.videoProcessing?.status).toBe(MessageVideoProcessingStatus.PROCESSING)
  for (const { assetId, eventId } of [ready, underWay])
    await env.publish('Rtea', {
      kind: 'message_retracted',
      fact: { case: 'messageRetracted', value: { messageEventId: eventId, removedAssetIds: [assetId] } },
    })
  await eventually(async () => {
    const ids = [ready.assetId, underWay.assetId]
    const rows = [...(await env.db.select().from(videoJobs)), ...(await env.db.select().from(assetVariants))]
    expect(rows.filter(({ assetId }) => ids.includes(assetId))).toEqual([])
  })
  await standIn.release()
  await eventually(async () => expect(await standIn.folders()).toEqual([]))
  await untilReceived(env, underWay.assetId, started)

  await requestErasure(env.bus, 'Ualice', 1)
  await eventually(() => expect(env.erasures.found('Ualice', 1)).toBeDefined())
  await noVariantsLie()
  for (const table of [assets, assetVariants, videoJobs]) expect(await env.db.select().from(table)).toEqual([])
})
