import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export async function makeVideo(name: string, args: string[]): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-videos-'))
  try {
    await run('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-y', ...args, name], { cwd: folder })
    return await readFile(join(folder, name))
  } finally {
    await rm(folder, { recursive: true })
  }
}

export const testPattern = (size: string, rate = 10): string[] => [
  ...['-f', 'lavfi', '-i', `testsrc=size=${size}:rate=${rate}:duration=1`],
]
export const tone = ['-f', 'lavfi', '-i', 'sine=duration=1']
export const fastH264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']

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

export async function countFrames(bytes: Buffer, ...args: string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-videos-'))
  try {
    await writeFile(join(folder, 'in'), bytes)
    const read = [...args, '-i', join(folder, 'in'), '-f', 'framemd5', '-']
    const { stdout } = await run('ffmpeg', ['-hide_banner', '-loglevel', 'error', ...read])
    return stdout.split('\n').filter((line) => /^\d/.test(line)).length
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A QuickTime file whose media data is in the file at `path`, at the same offsets. */
export function makeReferenceTo(path: string, bytes: Buffer): Buffer {
  const at = bytes.indexOf('dref') - 4
  const end = at + bytes.readUInt32BE(at)
  const name = Buffer.concat([Buffer.from(path), Buffer.alloc(path.length % 2)])
  const alias = Buffer.concat([Buffer.alloc(150), uint16(2), uint16(path.length), name, uint16(0xffff), uint16(0)])
  const entry = box('alis', Buffer.concat([Buffer.alloc(4), alias]))
  const dref = box('dref', Buffer.concat([Buffer.alloc(7), Buffer.from([1]), entry]))
  const video = Buffer.concat([bytes.subarray(0, at), dref, bytes.subarray(end)])
  for (const outer of ['moov', 'trak', 'mdia', 'minf', 'dinf']) {
    const boxStart = bytes.indexOf(outer, bytes.indexOf('moov')) - 4
    video.writeUInt32BE(bytes.readUInt32BE(boxStart) + dref.length - (end - at), boxStart)
  }
  return video.fill(0, bytes.indexOf('mdat') + 4, bytes.indexOf('moov') - 4)
}

const box = (type: string, content: Buffer): Buffer => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(content.length + 8)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, content])
}
const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255])

type Probed = {
  format: { format_name: string }
  streams: { codec_name: string; width?: number; height?: number; pix_fmt?: string }[]
}
