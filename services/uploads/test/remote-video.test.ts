import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { MessageVideoProcessingStatus } from '@parley/contracts/api'
import { Resources, type Service } from '@parley/runtime'
import { eventually, hasFfmpeg } from '@parley/testkit'
import { eq } from 'drizzle-orm'
import { videoJobs } from '../src/store/schema.ts'
import { readConfig } from '../src/video-worker/config.ts'
import { startWorkerProcess } from '../src/video-worker/service.ts'
import { openEnv, publicUrl, type Env } from './_env.ts'
import { makeVideo, testPattern, probe, fastH264, tone } from './_video-files.ts'
import { videoStateIn } from './_messaging.ts'
import { bytesOf } from './_file-fixture.ts'
import { startFakeFfmpeg, videoWith, type FakeFfmpeg } from './_fake-ffmpeg.ts'
import { failed, waitForEvents, isPaused, postFile, started, succeeded } from './_videos.ts'

let env: Env
let fake: FakeFfmpeg
let opened: Resources
beforeEach(async () => {
  opened = new Resources()
  env = opened.use(await openEnv())
  env.rooms.set('Rtea', ['Ualice'])
  fake = opened.use(await startFakeFfmpeg())
})
afterEach(() => opened[Symbol.asyncDispose]())

const local = { PARLEY_VIDEO_WORKER_HOST: '127.0.0.1', PARLEY_VIDEO_WORKER_PORT: '0' }
const startWorker = async (settings: Record<string, string> = {}) =>
  opened.use(await startWorkerProcess(readConfig({ env: { ...fake.settings, ...local, ...settings } })))
const startUploads = (urls: string) =>
  env.start({
    ...{ PARLEY_VIDEO_ENABLED: 'true', PARLEY_VIDEO_WORKER_URLS: urls },
    ...{ PARLEY_VIDEO_FFMPEG_PATH: '/nowhere/ffmpeg', PARLEY_VIDEO_FFPROBE_PATH: '/nowhere/ffprobe' },
  })
const countAttempts = async (assetId: string) => {
  const [job] = await env.db.select().from(videoJobs).where(eq(videoJobs.assetId, assetId))
  return job?.attempts
}

describe('a video worker', () => {
  test('has no secrets', () => {
    expect(readConfig({ env: local })).not.toHaveProperty('secretKey')
    expect(JSON.stringify(readConfig({ env: local }))).not.toMatch(/secret|password|database/i)
  })

  test('encodes the renditions that uploads serves', async () => {
    const uploads = await startUploads((await startWorker()).url ?? '')
    const { assetId } = await postFile(env, videoWith('hello'))
    await waitForEvents(env, assetId, started, succeeded)
    const { asset } = await env.as('Ualice').assets.getAsset({ roomId: 'Rtea', assetId })
    expect(asset?.videoProcessing).toMatchObject({
      status: MessageVideoProcessingStatus.COMPLETED,
      width: 1280,
      height: 720,
    })
    const contents = await Promise.all(
      [...(asset?.videoProcessing?.variants ?? []), asset?.videoProcessing].map(async (made) => {
        const url =
          made && 'assetUrl' in made
            ? made.assetUrl
            : made && 'thumbnailAssetUrl' in made
              ? made.thumbnailAssetUrl
              : undefined
        return (await bytesOf(await fetch((url?.url ?? '').replace(publicUrl, uploads.url ?? '')))).toString()
      }),
    )
    expect(contents).toEqual(['this is 720p.mp4\n', 'this is 480p.mp4\n', 'this is poster.jpg\n'])
    expect(await fake.folders()).toEqual([])
  })

  test.each(['BROKEN', 'AUDIO_ONLY'])('reports a video with the content %s as failed', async (words) => {
    await startUploads((await startWorker()).url ?? '')
    const { assetId } = await postFile(env, videoWith(words))
    await waitForEvents(env, assetId, started, failed)
    expect(videoStateIn(env.messaging.eventsOf(assetId)[1])).toMatchObject({ reasonCode: 'processing_failed' })
  })

  test('stops ffmpeg when the caller disconnects', async () => {
    const uploads = await startUploads((await startWorker()).url ?? '')
    await postFile(env, videoWith('WAIT'))
    const pid = await eventually(
      async () => (await fake.calls())[0] ?? Promise.reject(new Error('no program has started')),
    )
    await uploads[Symbol.asyncDispose]()
    await eventually(() => !isRunning(pid))
    await eventually(async () => expect(await fake.folders()).toEqual([]))
  })

  test('refuses more concurrent videos than its limit, and files that are not videos', async () => {
    const { url = '' } = await startWorker({ PARLEY_VIDEO_MAX_CONCURRENT: '1' })
    const post = (words: string) => fetch(`${url}/videos`, { method: 'POST', body: new Uint8Array(videoWith(words)) })
    const first = post('WAIT')
    await eventually(async () => expect(await fake.calls()).toHaveLength(1))
    const refused = await post('hello')
    expect([refused.status, await refused.json()]).toEqual([503, { error: 'the worker is busy; try again' }])
    await fake.release()
    expect((await first).status).toBe(200)
    const playlist = async () => (await fetch(`${url}/videos`, { method: 'POST', body: '#EXTM3U' })).status
    await eventually(async () => expect(await playlist()).toBe(422))
    expect((await fetch(`${url}/videos`)).status).toBe(404)
  })

  test('refuses videos while it is shutting down, even if it is idle', async () => {
    const stopping = new AbortController()
    const config = readConfig({ env: { ...fake.settings, ...local } })
    const { url } = opened.use(await startWorkerProcess(config, { stop: stopping.signal }))
    stopping.abort()
    const refused = await fetch(`${url}/videos`, { method: 'POST', body: new Uint8Array(videoWith('hello')) })
    const error = 'this worker is shutting down; try another one'
    expect([refused.status, await refused.json()]).toEqual([503, { error }])
  })
})

describe('uploads with video workers', () => {
  test('retries a video whose worker stops, without counting an attempt', async () => {
    const worker = await startWorker()
    await startUploads(worker.url ?? '')
    const { assetId } = await postFile(env, videoWith('WAIT'))
    await eventually(async () => expect(await fake.calls()).toHaveLength(1))
    await worker[Symbol.asyncDispose]()
    await eventually(async () => expect(await waitsForRetry(assetId)).toBe(true))
    expect(await countAttempts(assetId)).toBe(0)
  })

  test('retries a video if the worker is unavailable, without counting an attempt', async () => {
    await startUploads('http://127.0.0.1:1')
    const { assetId } = await postFile(env, videoWith('hello'))
    await eventually(async () => expect(await waitsForRetry(assetId)).toBe(true))
    expect(await countAttempts(assetId)).toBe(0)
  })

  test.each<[string, RequestListener]>([
    [
      'ends its response early',
      (_, response) => response.writeHead(200, { 'parley-video': resultWith({}), 'content-length': 100 }).end('x'),
    ],
    [
      'announces a poster that is too large',
      (_, response) => response.writeHead(200, { 'parley-video': resultWith({ posterSize: 1e15 }) }).end(),
    ],
    ['sends an invalid header', (_, response) => response.writeHead(200, { 'parley-video': '{"sizes":"../"}' }).end()],
  ])('refuses the result of a worker that %s, and retries the video', async (_, answer) => {
    await startUploads(await startFakeWorker(answer))
    const { assetId } = await postFile(env, videoWith('hello'))
    await eventually(async () => expect(await waitsForRetry(assetId)).toBe(true))
    expect(await countAttempts(assetId)).toBe(1)
  })
})

const withFfmpeg = hasFfmpeg() ? test : test.skip
withFfmpeg('a worker with ffmpeg encodes a real video', async () => {
  const worker: Service = opened.use(await startWorkerProcess(readConfig({ env: local })))
  const uploads = await startUploads(worker.url ?? '')
  const { assetId } = await postFile(env, await makeVideo('in.mp4', [...testPattern('640x480'), ...tone, ...fastH264]))
  const { assets } = env.as('Ualice')
  const video = await eventually(
    async () => {
      const found = (await assets.getAsset({ roomId: 'Rtea', assetId })).asset?.videoProcessing
      return found?.status === MessageVideoProcessingStatus.COMPLETED && found
    },
    { timeoutMs: 100_000 },
  )
  const [variant] = video.variants
  const made = await bytesOf(await fetch((variant?.assetUrl?.url ?? '').replace(publicUrl, uploads.url ?? '')))
  expect((await probe(made)).streams).toEqual(['h264 640x480 yuv420p', 'aac'])
})

const resultWith = (changes: object) =>
  JSON.stringify({ width: 640, height: 480, durationMs: 1, sizes: [50], posterSize: 50, ...changes })

async function waitsForRetry(assetId: string): Promise<boolean> {
  const [job] = await env.db.select().from(videoJobs).where(eq(videoJobs.assetId, assetId))
  return isPaused(job)
}

async function startFakeWorker(answer: RequestListener): Promise<string> {
  const server: Server = createServer((request, response) => {
    request.resume().on('end', () => answer(request, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.defer('fake worker', () => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
