import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openLocalEncoder } from '../src/engines/video/open-local-encoder.ts'
import { readConfig } from '../src/video-worker/config.ts'

const signal = new AbortController().signal
const memoryBytes = 1024 ** 3
const otherUser = 59_999
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-encoder-'))
  // The owner of the rendition shows as which user the script ran.
  const script = `#!/bin/sh
case "$*" in *-encoders*) echo libx264 aac; exit ;; *-version*) exit ;; esac
id -u > 480p.mp4
echo '{"streams":[{"codec_type":"video","width":640,"height":480}],"format":{"duration":"1"}}'
`
  await writeFile(join(folder, 'tool'), script)
  await chmod(join(folder, 'tool'), 0o755)
})
afterAll(() => rm(folder, { recursive: true }))

async function encodeAs(userId: number) {
  const tool = join(folder, 'tool')
  const settings = readConfig({
    env: {
      ...{ PARLEY_VIDEO_WORKER_PORT: '0', PARLEY_VIDEO_USER_ID: String(userId) },
      ...{ PARLEY_VIDEO_FFMPEG_PATH: tool, PARLEY_VIDEO_FFPROBE_PATH: tool },
    },
  })
  const encoder = await openLocalEncoder(settings, { memoryBytes, signal })
  if (!encoder) throw new Error('the encoder does not work')
  await using job = await encoder.openFolder()
  await encoder.encode({ demuxer: 'mov', folder: job.path, signal })
  const { uid } = await stat(join(job.path, '480p.mp4'))
  return { folder: (await stat(job.path)).uid, mode: (await stat(job.path)).mode & 0o777, file: uid }
}
const own = process.getuid?.() ?? 0

const asRoot = own === 0 ? test : test.skip
const why = own === 0 ? '' : ' (skipped: only root can change users)'
asRoot(`ffmpeg runs as a separate user, in a folder that only this user can read${why}`, async () => {
  await chmod(folder, 0o755)
  expect(await encodeAs(otherUser)).toEqual({ folder: otherUser, mode: 0o700, file: otherUser })
})

test('ffmpeg runs as the user of the process if so configured, or if another user cannot access the program', async () => {
  await chmod(folder, 0o700)
  expect(await encodeAs(otherUser)).toEqual({ folder: own, mode: 0o700, file: own })
  await chmod(folder, 0o755)
  expect(await encodeAs(0)).toEqual({ folder: own, mode: 0o700, file: own })
})
