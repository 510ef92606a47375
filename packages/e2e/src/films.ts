import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const moving = ['-f', 'lavfi', '-i', 'testsrc=size=640x480:rate=10:duration=1']
const quickly = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']

/** How a film is uploaded. */
export const mp4 = { filename: 'film.mp4', contentType: 'video/mp4' }

/** A film of a second, made by ffmpeg. */
export async function film(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-film-'))
  try {
    const path = join(folder, mp4.filename)
    await run('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-y', ...moving, ...quickly, path])
    return await readFile(path)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Starts like a film and continues with invalid data. */
export const noFilm = (): Buffer =>
  Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypisom'), Buffer.alloc(2000, 7)])
