import { describe, expect, test } from '@jest/globals'
import { framesOfWebp, isAnimatedPng, sniffImage } from './sniff.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')

test.each([
  ['\xff\xd8\xff\xe0', 'jpeg'],
  ['\x89PNG\r\n\x1a\n', 'png'],
  ['GIF87a', 'gif'],
  ['GIF89a', 'gif'],
  ['RIFF\x10\x00\x00\x00WEBPVP8 ', 'webp'],
  ['RIFF\x10\x00\x00\x00WAVEfmt ', undefined],
  ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'markup'],
  ['\xef\xbb\xbf  \n<!doctype html>', 'markup'],
  ['%PDF-1.7', undefined],
  ['', undefined],
])('the format of %j is %s', (text, format) => {
  expect(sniffImage(bytes(text))).toBe(format)
})

describe('a PNG', () => {
  const chunk = (type: string, length: number) => {
    const head = Buffer.alloc(4)
    head.writeUInt32BE(length)
    return Buffer.concat([head, bytes(type), Buffer.alloc(length + 4)])
  }
  const png = (...chunks: Buffer[]) => Buffer.concat([bytes('\x89PNG\r\n\x1a\n'), ...chunks])

  test('is animated if an acTL chunk comes before its pixels', () => {
    expect(isAnimatedPng(png(chunk('IHDR', 13), chunk('acTL', 8), chunk('IDAT', 4)))).toBe(true)
  })

  test.each([
    ['without an acTL chunk', png(chunk('IHDR', 13), chunk('IDAT', 4))],
    ['with an acTL chunk after its pixels', png(chunk('IHDR', 13), chunk('IDAT', 4), chunk('acTL', 8))],
    [
      'with acTL only as text inside another chunk',
      png(chunk('IHDR', 13), Buffer.concat([bytes('\0\0\0\x08tEXtacTLacTL\0\0\0\0')])),
    ],
    ['that is truncated', png(chunk('IHDR', 13).subarray(0, 6))],
    ['with a chunk longer than the file', png(bytes('\xff\xff\xff\xffIHDR'))],
  ])('%s is not animated', (_, content) => {
    expect(isAnimatedPng(content)).toBe(false)
  })
})

test('the frames of a WebP are counted; text in other chunks and chunks beyond the end do not count', () => {
  const frame = bytes('ANMF\x03\0\0\0ANM\0')
  const webp = (...chunks: Buffer[]) => Buffer.concat([bytes('RIFF\0\0\0\0WEBP'), ...chunks])
  expect(framesOfWebp(webp(frame, bytes('EXIF\x04\0\0\0ANMF'), frame))).toBe(2)
  expect(framesOfWebp(webp(bytes('EXIF\xff\xff\xff\xff'), frame))).toBe(0)
  expect(framesOfWebp(bytes('RIFF\0\0\0\0WAVEANMF\0\0\0\0'))).toBe(0)
})
