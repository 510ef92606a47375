import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs ffmpeg in a folder of its own, and answers the file that it made. */
export async function film(name: string, args: string[]): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-films-'))
  try {
    await run('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-y', ...args, name], { cwd: folder })
    return await readFile(join(folder, name))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Moving pictures of a second, as an input of ffmpeg. */
export const pictures = (size: string, rate = 10): string[] => [
  ...['-f', 'lavfi', '-i', `testsrc=size=${size}:rate=${rate}:duration=1`],
]
export const tone = ['-f', 'lavfi', '-i', 'sine=duration=1']
export const quickly = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']

/** What ffprobe says of bytes. */
export async function probe(bytes: Buffer): Promise<{ format: string; streams: string[] }> {
  const child = run('ffprobe', ['-v', 'error', '-of', 'json', '-show_streams', '-show_format', '-'], {
    encoding: 'utf8',
  })
  child.child.stdin?.end(bytes)
  const { streams, format } = JSON.parse((await child).stdout) as Probed
  return {
    format: format.format_name,
    streams: streams.map(({ codec_name, width, height, pix_fmt }) =>
      width === undefined ? codec_name : `${codec_name} ${width}x${height} ${pix_fmt}`,
    ),
  }
}

type Probed = {
  format: { format_name: string }
  streams: { codec_name: string; width?: number; height?: number; pix_fmt?: string }[]
}
