import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { MessageVideoProcessingStatus } from '@parley/contracts/api'
import type { Service } from '@parley/runtime'
import { eventually, hasFfmpeg } from '@parley/testkit'
import { openEnv, publicUrl, type Env } from './_env.ts'
import { makeVideo, countFrames, testPattern, probe, fastH264, makeReferenceTo, tone } from './_video-files.ts'
import { animatedImage } from './_images.ts'
import { bytesOf } from './_file-fixture.ts'
import { postFile } from './_videos.ts'
import { encode } from '../src/engines/video/encode.ts'
import { runTool } from '../src/engines/video/run-tool.ts'
import type { ToolUse } from '../src/engines/video/tools.ts'

const withFfmpeg = hasFfmpeg() ? describe : describe.skip
const why = hasFfmpeg() ? '' : ' (skipped: ffmpeg and ffprobe not found)'

withFfmpeg(`with ffmpeg${why}`, () => {
  let env: Env
  let service: Service
  beforeAll(async () => {
    env = await openEnv()
    env.rooms.set('Rtea', ['Ualice'])
    service = await env.start({ PARLEY_VIDEO_ENABLED: 'true' })
  })
  afterAll(async () => env[Symbol.asyncDispose]())

  async function process(bytes: Buffer, contentType = 'video/mp4') {
    const { assetId } = await postFile(env, bytes, contentType)
    const { assets } = env.as('Ualice')
    return eventually(
      async () => {
        const video = (await assets.getAsset({ roomId: 'Rtea', assetId })).asset?.videoProcessing
        if (!video || video.status === MessageVideoProcessingStatus.PROCESSING) return false
        return video
      },
      { timeoutMs: 100_000 },
    )
  }
  const read = async (url = '') => bytesOf(await fetch(url.replace(publicUrl, service.url ?? '')))
  const canStartEarly = (bytes: Buffer) => bytes.indexOf('moov') > 0 && bytes.indexOf('moov') < bytes.indexOf('mdat')

  test('a large video gets 720p and 480p renditions with sound, a poster, and no metadata', async () => {
    const args = [...testPattern('1920x1080'), ...tone, ...fastH264, '-metadata', 'location=+52.52+013.40/']
    const video = await process(await makeVideo('in.mp4', args))
    expect(video).toMatchObject({ status: MessageVideoProcessingStatus.COMPLETED, width: 1920, height: 1080 })
    expect(Number(video.durationMs)).toBeGreaterThanOrEqual(1000)
    expect(video.variants.map(({ quality, width, height }) => `${quality} ${width}x${height}`)).toEqual([
      ...['720p 1280x720', '480p 854x480'],
    ])
    for (const { width, height, size, assetUrl } of video.variants) {
      const bytes = await read(assetUrl?.url)
      expect(bytes.length).toBe(Number(size))
      expect((await probe(bytes)).streams).toEqual([`h264 ${width}x${height} yuv420p`, 'aac'])
      expect(canStartEarly(bytes)).toBe(true)
      expect(bytes.includes('52.52')).toBe(false)
    }
    expect((await probe(await read(video.thumbnailAssetUrl?.url))).streams).toEqual(['mjpeg 1280x720 yuvj420p'])
  })

  test.each([
    ['with a height of 500', '640x500', '480p 614x480'],
    ['with odd sides', '333x251', '250p 332x250'],
    ['that is tiny', '16x2', '2p 16x2'],
  ])('a video %s is not enlarged', async (_, size, made) => {
    const video = await process(
      await makeVideo('in.mkv', [...testPattern(size), '-c:v', 'mjpeg', '-pix_fmt', 'yuvj444p']),
      'video/x-matroska',
    )
    expect(video.variants.map(({ quality, width, height }) => `${quality} ${width}x${height}`)).toEqual([made])
  })

  test('a rotated video is encoded upright', async () => {
    const landscape = await makeVideo('in.mp4', [...testPattern('1280x720'), ...fastH264])
    const rotated = rotate(landscape)
    expect(await process(rotated)).toMatchObject({
      ...{ width: 720, height: 1280 },
      variants: [
        { quality: '720p', width: 406, height: 720 },
        { quality: '480p', width: 270, height: 480 },
      ],
    })
  })

  test('the duration of a browser recording is determined, although the file does not state it', async () => {
    const args = [...testPattern('320x240'), '-c:v', 'libvpx', '-deadline', 'realtime', '-live', '1']
    const video = await process(await makeVideo('in.webm', args), 'video/webm')
    expect(video).toMatchObject({ status: MessageVideoProcessingStatus.COMPLETED, variants: [{ quality: '240p' }] })
    expect(Number(video.durationMs)).toBeGreaterThanOrEqual(900)
  })

  test('an animation becomes a silent MP4', async () => {
    const video = await process(
      await animatedImage(33, 21)
        .gif({ delay: [200, 200] })
        .toBuffer(),
      'image/gif',
    )
    expect(video).toMatchObject({ status: MessageVideoProcessingStatus.COMPLETED, width: 33, height: 21 })
    expect((await probe(await read(video.variants[0]?.assetUrl?.url))).streams).toEqual(['h264 32x20 yuv420p'])
  })

  const truncated = async () => (await makeVideo('in.mp4', [...testPattern('320x240'), ...fastH264])).subarray(0, 3000)
  const music = () => makeVideo('in.m4a', tone)
  const withCover = () =>
    makeVideo('in.mp4', [
      ...[...tone, ...testPattern('64x64'), '-map', '0:a', '-map', '1:v', '-frames:v', '1'],
      ...['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-disposition:v:0', 'attached_pic'],
    ])
  const large = () =>
    makeVideo('in.mkv', [
      '-f',
      'lavfi',
      '-i',
      'color=size=16000x3000:rate=1:duration=1',
      '-pix_fmt',
      'yuvj444p',
      '-c:v',
      'mjpeg',
    ])
  const uncommonCodec = () => makeVideo('in.mkv', [...testPattern('64x64'), '-c:v', 'ffv1'])
  const textFile = (content: string) => () => Promise.resolve(Buffer.from(content))
  const withPlaylist = async () =>
    Buffer.concat([
      await makeVideo('in.mp4', [...testPattern('64x64'), ...fastH264]),
      Buffer.from('#EXTM3U\nfile:///etc/hosts'),
    ])

  test.each([
    ['is truncated', truncated],
    ['is music', music],
    ['is music with a cover', withCover],
    ['has too many pixels', large],
    ['has an uncommon codec', uncommonCodec],
    ['is a playlist', textFile('#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/hosts\n#EXT-X-ENDLIST\n')],
    ['is a list of files', textFile("ffconcat version 1.0\nfile '/etc/hosts'\n")],
    ['is a manifest', textFile('<MPD><BaseURL>http://127.0.0.1:1/</BaseURL></MPD>')],
    ['is a picture', textFile('P6\n1 1\n255\nabc')],
  ])('processing of a file that %s fails', async (_, make) => {
    expect(await process(await make())).toMatchObject({
      ...{ status: MessageVideoProcessingStatus.FAILED, reasonCode: 'processing_failed', sourceAvailable: true },
      variants: [],
    })
  })

  test('a video that refers to another file on the machine does not reveal it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-elsewhere-'))
    try {
      const own = await makeVideo('in.mov', [...testPattern('64x64'), ...fastH264])
      const otherFile = join(folder, 'secret.mov')
      await writeFile(otherFile, own)
      const reference = makeReferenceTo(otherFile, own)
      // With references enabled, ffmpeg would read the other file.
      expect(await countFrames(reference, '-enable_drefs', '1', '-use_absolute_path', '1')).toBe(10)
      expect(await process(reference, 'video/quicktime')).toMatchObject({
        ...{ status: MessageVideoProcessingStatus.FAILED, reasonCode: 'processing_failed' },
        variants: [],
      })
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('a playlist appended to a video is ignored', async () => {
    const video = await process(await withPlaylist())
    expect(video).toMatchObject({ status: MessageVideoProcessingStatus.COMPLETED, variants: [{ quality: '64p' }] })
  })

  test('a video that exceeds its CPU time fails without a retry', async () => {
    const limits = { cpuSeconds: 1, fileBytes: 100 * 1024 ** 2, memoryBytes: 4 * 1024 ** 3 }
    const tools = {
      ffmpeg: (use: ToolUse) => runTool({ ...use, program: 'ffmpeg', limits }),
      ffprobe: (use: ToolUse) => runTool({ ...use, program: 'ffprobe', limits }),
    }
    const folder = await mkdtemp(join(tmpdir(), 'parley-encode-'))
    try {
      const args = [...testPattern('1920x1080', 25), '-vf', 'loop=15:25', ...fastH264]
      await writeFile(join(folder, 'source'), await makeVideo('in.mp4', args))
      const encoding = encode(tools, { demuxer: 'mov', folder, signal: new AbortController().signal })
      await expect(encoding).rejects.toMatchObject({ reason: 'processing_failed' })
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

function rotate(bytes: Buffer): Buffer {
  const matrix = bytes.indexOf('tkhd') + 4 + 40
  const rotated = Buffer.from(bytes)
  const numbers = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000]
  numbers.forEach((number, index) => rotated.writeInt32BE(number, matrix + 4 * index))
  return rotated
}
