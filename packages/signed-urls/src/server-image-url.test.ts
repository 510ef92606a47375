import { describe, expect, test } from '@jest/globals'
import { readServerImageParams, serverImageUrl } from './server-image-url.ts'

const from = { publicUrl: 'https://chat.example.org', signingSecret: 'secret' }
const size = { width: 96, height: 96, fit: 'cover' } as const
const segmentOf = (url: string) => url.split('/').at(-1) ?? ''
const segment = segmentOf(serverImageUrl(from, 'KEY', size))
const [params = '', signature = ''] = segment.split('.')

describe('the signed URL of a public image', () => {
  test('is absolute, below the public URL, and contains the size', () => {
    const url = serverImageUrl({ ...from, publicUrl: 'https://chat.example.org/' }, 'KEY', size)
    expect(url).toBe(`https://chat.example.org/assets/server/KEY/t/${segment}`)
    expect(readServerImageParams(['secret'], 'KEY', segment)).toEqual(size)
  })

  test('is the same each time, for caches', () => {
    expect(serverImageUrl(from, 'KEY', size)).toBe(serverImageUrl(from, 'KEY', { ...size }))
  })

  test('is valid with an older secret as long as that is configured', () => {
    expect(readServerImageParams(['new', 'secret'], 'KEY', segment)).toEqual(size)
    expect(readServerImageParams(['new'], 'KEY', segment)).toBeUndefined()
  })

  test.each([
    ['another key', 'OTHER', segment],
    ['other parameters', 'KEY', `${Buffer.from('{"w":97,"h":96,"f":"cover"}').toString('base64url')}.${signature}`],
    ['a cut signature', 'KEY', segment.slice(0, -2)],
    ['no signature', 'KEY', params],
    ['nothing', 'KEY', ''],
    ['a signature in capitals', 'KEY', `${params}.${signature.toUpperCase()}`],
  ])('is refused with %s', (_, key, given) => {
    expect(readServerImageParams(['secret'], key, given)).toBeUndefined()
  })

  test.each([0, 4097, 1.5, Number.NaN])('is not created for a side of %p', (width) => {
    expect(() => serverImageUrl(from, 'KEY', { ...size, width })).toThrow(RangeError)
  })
})
