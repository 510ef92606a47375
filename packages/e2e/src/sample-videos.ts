import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const input = ['-f', 'lavfi', '-i', 'testsrc=size=640x480:rate=10:duration=1']
const encoder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']

export const mp4 = { filename: 'video.mp4', contentType: 'video/mp4' }

export async function sampleVideo(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-video-'))
  try {
    const path = join(folder, mp4.filename)
    await run('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-y', ...input, ...encoder, path])
    return await readFile(path)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Starts like an MP4 file. */
export const brokenVideo = (): Buffer =>
  Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypisom'), Buffer.alloc(2000, 7)])
