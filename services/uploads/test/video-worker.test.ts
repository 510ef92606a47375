import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Code } from '@connectrpc/connect'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { newId } from '@parley/ids'
import { eventually } from '@parley/testkit'
import { eq } from 'drizzle-orm'
import { assetVariants, videoJobs } from '../src/store/schema.ts'
import type { Overrides } from '../src/service.ts'
import { openEnv, type Env } from './_env.ts'
import { videoIn } from './_messaging.ts'
import { announcing, claiming, sendFile } from './_sending.ts'
import { standInFfmpeg, videoSaying, type StandIn } from './_stand-in-ffmpeg.ts'
import { failed, untilReceived, isPaused, postFile, started, succeeded } from './_videos.ts'

let env: Env
let standIn: StandIn
beforeEach(async () => {
  env = await openEnv()
  env.rooms.set('Rtea', ['Ualice'])
  standIn = await standInFfmpeg()
})
afterEach(async () => {
  await env[Symbol.asyncDispose]()
  await standIn[Symbol.asyncDispose]()
})

const start = (settings: Record<string, string> = {}, overrides?: Overrides) =>
  env.start({ ...standIn.settings, ...settings }, overrides)
const jobOf = async (assetId: string) => {
  const [job] = await env.db.select().from(videoJobs).where(eq(videoJobs.assetId, assetId))
  return job
}
const begunTimes = (times: number) => eventually(async () => expect(await standIn.begun()).toHaveLength(times))
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('several processes process each video once', async () => {
  await start()
  await start()
  const posted = await Promise.all(Array.from({ length: 8 }, (_, n) => postFile(env, videoSaying(`number ${n}`))))
  for (const { assetId } of posted) await untilReceived(env, assetId, started, succeeded)
  expect(await standIn.begun()).toHaveLength(posted.length)
})

test('a stopping process ends its programs and leaves the video to the next one', async () => {
  const first = await start()
  const { assetId } = await postFile(env, videoSaying('WAIT'))
  await begunTimes(1)
  await first[Symbol.asyncDispose]()
  expect(await jobOf(assetId)).toMatchObject({ attempts: 0, result: null })
  expect(((await jobOf(assetId))?.dueAt ?? new Date()).getTime()).toBeLessThan(Date.now())
  const [program = 0] = await standIn.begun()
  await eventually(() => !isRunning(program))
  expect(await standIn.folders()).toEqual([])

  await standIn.release()
  await start()
  await untilReceived(env, assetId, started, succeeded)
})

test('another process takes over the video of a killed process when its lease expires', async () => {
  const child = fork(fileURLToPath(new URL('../src/main.ts', import.meta.url)), [], {
    execArgv: ['--import', import.meta.resolve('@parley/tooling/run-bundled')],
    env: { ...process.env, ...env.settings, ...standIn.settings },
    stdio: 'inherit',
  })
  await once(child, 'message')
  const { assetId } = await postFile(env, videoSaying('WAIT'))
  await begunTimes(1)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await jobOf(assetId)).toMatchObject({ attempts: 1, fence: 1, result: null })
  expect(isPaused(await jobOf(assetId))).toBe(false)

  await env.db.update(videoJobs).set({ dueAt: new Date(Date.now() + 3_600_000) })
  await standIn.release()
  await start()
  const { assetId: other } = await postFile(env, videoSaying('another'))
  await untilReceived(env, other, started, succeeded)
  await untilReceived(env, assetId, started)
  await env.db.update(videoJobs).set({ dueAt: new Date(0) })
  await untilReceived(env, assetId, started, succeeded)
  expect(await jobOf(assetId)).toMatchObject({ attempts: 2, fence: 2 })
})

test('a video that takes too long fails, and its programs end', async () => {
  await start({ PARLEY_VIDEO_JOB_TIMEOUT: '5s' })
  const { assetId } = await postFile(env, videoSaying('WAIT'))
  await untilReceived(env, assetId, started, failed)
  expect(videoIn(env.messaging.of(assetId)[1])?.reasonCode).toBe('processing_failed')
  // There is none if not even the first program ended in time.
  const programs = await standIn.begun()
  await eventually(() => !programs.some(isRunning))
})

test('losing a video to another process does not count as an attempt', async () => {
  await start()
  const { assetId } = await postFile(env, videoSaying('WAIT'))
  await begunTimes(1)
  await env.db.update(videoJobs).set({ fence: 99 }).where(eq(videoJobs.assetId, assetId))
  await standIn.release()
  await eventually(async () => expect(await standIn.folders()).toEqual([]))
  await untilReceived(env, assetId, started)
  expect(await env.db.select().from(assetVariants)).toEqual([])
  expect((await env.storedKeys()).filter((key) => key.startsWith('variants/'))).toEqual([])
})

test('posted videos do not wait for imported ones', async () => {
  await start({ PARLEY_VIDEO_MAX_CONCURRENT: '1' })
  await postFile(env, videoSaying('WAIT'))
  await begunTimes(1)
  const { id: imported } = await sendFile(env, videoSaying('old'), { contentType: 'video/mp4' })
  await env.internal.claimAssets(claiming([imported]))
  const attachments = [{ assetId: imported, messageEventId: newId('event') }]
  await env.publish('Rtea', { kind: 'messages_imported', fact: { case: 'messagesImported', value: { attachments } } })
  await eventually(async () => expect(await jobOf(imported)).toMatchObject({ imported: true }))
  const { assetId: posted } = await postFile(env, videoSaying('new'))
  await untilReceived(env, posted, started)
  await standIn.release()
  await untilReceived(env, imported, started, succeeded)
  const ended = await env.db.select().from(assetVariants).orderBy(assetVariants.createdAt)
  const order = [...new Set(ended.map(({ assetId }) => assetId))].filter((id) => id === posted || id === imported)
  expect(order).toEqual([posted, imported])
})

test('folders of killed processes are deleted during other work; folders of newer jobs are kept', async () => {
  await start({}, { sweepEveryMs: 20 })
  const minute = 60_000
  await standIn.leaveFolder('parley-video-young', 9 * minute)
  await standIn.leaveFolder('parley-video-old', 11 * minute)
  await standIn.leaveFolder('of-others', 11 * minute)
  await eventually(async () =>
    expect((await standIn.folders()).toSorted()).toEqual(['of-others', 'parley-video-young']),
  )
})

test.each([
  ['switched off', { PARLEY_VIDEO_ENABLED: 'false' }],
  ['without ffmpeg', { PARLEY_VIDEO_FFMPEG_PATH: '/nowhere/ffmpeg' }],
  ['with an ffmpeg that is none', { PARLEY_VIDEO_FFMPEG_PATH: '/bin/true' }],
])(
  '%s, videos are refused, other files are accepted, and unfinished videos are given up after a day',
  async (_, off) => {
    const on = await start()
    const { assetId: old } = await postFile(env, videoSaying('WAIT'))
    await begunTimes(1)
    await on[Symbol.asyncDispose]()
    await env.db.update(videoJobs).set({ dueAt: new Date(Date.now() - 25 * 3_600_000) })

    const service = await start(off)
    await untilReceived(env, old, started, failed)
    const metrics = await (await fetch(`http://127.0.0.1:${service.internalPort}/metrics`)).text()
    expect(metrics).toMatch(/^parley_video_available 0/m)
    await expect(
      env.as('Ualice').uploads.createUpload(announcing(videoSaying('new'), { contentType: 'video/mp4' })),
    ).rejects.toMatchObject({
      code: Code.InvalidArgument,
      rawMessage: expect.stringContaining('video processing is not available'),
    })
    const { assetId: text } = await postFile(env, Buffer.from('words'), 'text/plain')
    expect(await jobOf(text)).toBeUndefined()
  },
)
