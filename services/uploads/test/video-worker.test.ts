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
import { videoStateIn } from './_messaging.ts'
import { uploadRequest, claimRequest, sendFile } from './_send-files.ts'
import { startFakeFfmpeg, videoWith, type FakeFfmpeg } from './_fake-ffmpeg.ts'
import { failed, waitForEvents, isPaused, postFile, started, succeeded } from './_videos.ts'

let env: Env
let fake: FakeFfmpeg
beforeEach(async () => {
  env = await openEnv()
  env.rooms.set('Rtea', ['Ualice'])
  fake = await startFakeFfmpeg()
})
afterEach(async () => {
  await env[Symbol.asyncDispose]()
  await fake[Symbol.asyncDispose]()
})

const start = (settings: Record<string, string> = {}, overrides?: Overrides) =>
  env.start({ ...fake.settings, ...settings }, overrides)
const jobOf = async (assetId: string) => {
  const [job] = await env.db.select().from(videoJobs).where(eq(videoJobs.assetId, assetId))
  return job
}
const waitForCalls = (times: number) => eventually(async () => expect(await fake.calls()).toHaveLength(times))
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
  const posted = await Promise.all(Array.from({ length: 8 }, (_, n) => postFile(env, videoWith(`number ${n}`))))
  for (const { assetId } of posted) await waitForEvents(env, assetId, started, succeeded)
  expect(await fake.calls()).toHaveLength(posted.length)
})

test('a process that stops kills ffmpeg, and the next process encodes the video', async () => {
  const first = await start()
  const { assetId } = await postFile(env, videoWith('WAIT'))
  await waitForCalls(1)
  await first[Symbol.asyncDispose]()
  expect(await jobOf(assetId)).toMatchObject({ attempts: 0, result: null })
  expect(((await jobOf(assetId))?.dueAt ?? new Date()).getTime()).toBeLessThan(Date.now())
  const [pid = 0] = await fake.calls()
  await eventually(() => !isRunning(pid))
  expect(await fake.folders()).toEqual([])

  await fake.release()
  await start()
  await waitForEvents(env, assetId, started, succeeded)
})

test('another process takes over the video of a killed process when its lease expires', async () => {
  const child = fork(fileURLToPath(new URL('../src/main.ts', import.meta.url)), [], {
    execArgv: ['--import', import.meta.resolve('@parley/tooling/run-bundled')],
    env: { ...process.env, ...env.settings, ...fake.settings },
    stdio: 'inherit',
  })
  await once(child, 'message')
  const { assetId } = await postFile(env, videoWith('WAIT'))
  await waitForCalls(1)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await jobOf(assetId)).toMatchObject({ attempts: 1, fence: 1, result: null })
  expect(isPaused(await jobOf(assetId))).toBe(false)

  await env.db.update(videoJobs).set({ dueAt: new Date(Date.now() + 3_600_000) })
  await fake.release()
  await start()
  const { assetId: other } = await postFile(env, videoWith('another'))
  await waitForEvents(env, other, started, succeeded)
  await waitForEvents(env, assetId, started)
  await env.db.update(videoJobs).set({ dueAt: new Date(0) })
  await waitForEvents(env, assetId, started, succeeded)
  expect(await jobOf(assetId)).toMatchObject({ attempts: 2, fence: 2 })
})

test('a video that exceeds the time limit fails, and ffmpeg is killed', async () => {
  await start({ PARLEY_VIDEO_JOB_TIMEOUT: '5s' })
  const { assetId } = await postFile(env, videoWith('WAIT'))
  await waitForEvents(env, assetId, started, failed)
  expect(videoStateIn(env.messaging.eventsOf(assetId)[1])?.reasonCode).toBe('processing_failed')
  // There is no call of ffmpeg if the call of ffprobe before it took too long.
  const pids = await fake.calls()
  await eventually(() => !pids.some(isRunning))
})

test('a result is discarded if another process has taken over the video', async () => {
  await start()
  const { assetId } = await postFile(env, videoWith('WAIT'))
  await waitForCalls(1)
  await env.db.update(videoJobs).set({ fence: 99 }).where(eq(videoJobs.assetId, assetId))
  await fake.release()
  await eventually(async () => expect(await fake.folders()).toEqual([]))
  await waitForEvents(env, assetId, started)
  expect(await env.db.select().from(assetVariants)).toEqual([])
  expect((await env.storedKeys()).filter((key) => key.startsWith('variants/'))).toEqual([])
})

test('posted videos do not wait for imported ones', async () => {
  await start({ PARLEY_VIDEO_MAX_CONCURRENT: '1' })
  await postFile(env, videoWith('WAIT'))
  await waitForCalls(1)
  const { id: imported } = await sendFile(env, videoWith('old'), { contentType: 'video/mp4' })
  await env.internal.claimAssets(claimRequest([imported]))
  const attachments = [{ assetId: imported, messageEventId: newId('event') }]
  await env.publish('Rtea', { kind: 'messages_imported', fact: { case: 'messagesImported', value: { attachments } } })
  await eventually(async () => expect(await jobOf(imported)).toMatchObject({ imported: true }))
  const { assetId: posted } = await postFile(env, videoWith('new'))
  await waitForEvents(env, posted, started)
  await fake.release()
  await waitForEvents(env, imported, started, succeeded)
  const ended = await env.db.select().from(assetVariants).orderBy(assetVariants.createdAt)
  const order = [...new Set(ended.map(({ assetId }) => assetId))].filter((id) => id === posted || id === imported)
  expect(order).toEqual([posted, imported])
})

test('folders that killed processes left are deleted periodically; those of newer jobs are kept', async () => {
  await start({}, { sweepEveryMs: 20 })
  const minute = 60_000
  await fake.leaveFolder('parley-video-young', 9 * minute)
  await fake.leaveFolder('parley-video-old', 11 * minute)
  await fake.leaveFolder('of-others', 11 * minute)
  await eventually(async () => expect((await fake.folders()).toSorted()).toEqual(['of-others', 'parley-video-young']))
})

test.each([
  ['if processing is off', { PARLEY_VIDEO_ENABLED: 'false' }],
  ['without ffmpeg', { PARLEY_VIDEO_FFMPEG_PATH: '/nowhere/ffmpeg' }],
  ['with an ffmpeg that does not work', { PARLEY_VIDEO_FFMPEG_PATH: '/bin/true' }],
])('%s, videos are refused, other files are accepted, and waiting videos fail after a day', async (_, off) => {
  const on = await start()
  const { assetId: old } = await postFile(env, videoWith('WAIT'))
  await waitForCalls(1)
  await on[Symbol.asyncDispose]()
  await env.db.update(videoJobs).set({ dueAt: new Date(Date.now() - 25 * 3_600_000) })

  const service = await start(off)
  await waitForEvents(env, old, started, failed)
  const metrics = await (await fetch(`http://127.0.0.1:${service.internalPort}/metrics`)).text()
  expect(metrics).toMatch(/^parley_video_available 0/m)
  await expect(
    env.as('Ualice').uploads.createUpload(uploadRequest(videoWith('new'), { contentType: 'video/mp4' })),
  ).rejects.toMatchObject({
    code: Code.InvalidArgument,
    rawMessage: expect.stringContaining('video processing is not available'),
  })
  const { assetId: text } = await postFile(env, Buffer.from('words'), 'text/plain')
  expect(await jobOf(text)).toBeUndefined()
})
