import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import sharp from 'sharp'
import { openImageProcessor } from './image-processor.ts'

test('waiting resizes are limited per network and, with a higher limit, per wider network', async () => {
  const imageProcessor = openImageProcessor({ atOnce: 1 })
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  const read = () => released.then(() => bytes)
  const size = { width: 4, height: 4, fit: 'contain' } as const
  let callers = 0
  const resizeFrom = (address: string) =>
    imageProcessor
      .resize(read, { size, as: 'attachment', callerId: `U${callers++}`, address })
      .then(({ contentType }) => contentType)
  const refused = { code: Code.ResourceExhausted }

  const resized = Array.from({ length: 32 }, (_, n) => resizeFrom(`2001:db8::${n}`))
  await expect(resizeFrom('2001:db8::ffff')).rejects.toMatchObject(refused)
  // Another /64 of the same customer, whose networks together have a higher limit.
  resized.push(...Array.from({ length: 16 }, () => resizeFrom('2001:db8:0:1::1')))
  await expect(resizeFrom('2001:db8:0:2::1')).rejects.toMatchObject(refused)
  resized.push(resizeFrom('198.51.100.1'))
  release()
  expect(new Set(await Promise.all(resized))).toEqual(new Set(['image/jpeg']))
  expect(await resizeFrom('2001:db8::ffff')).toBe('image/jpeg')
})

test('an animation with too many frames is refused before it is decoded', async () => {
  const header = Buffer.from('RIFF\xff\xff\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\0\0\0\0\0\0', 'latin1')
  const bytes = Buffer.concat([header, ...Array.from({ length: 257 }, () => Buffer.from('ANMF\0\0\0\0'))])
  await expect(openImageProcessor({ atOnce: 1 }).inspect(() => Promise.resolve(bytes), 'U1')).rejects.toThrow(
    'at most 256 frames',
  )
})
