import { describe, expect, test } from '@jest/globals'
import { assetUrl, readAssetAccess } from './asset-url.ts'
import { serverImageUrl } from './server-image-url.ts'

const from = { publicUrl: 'https://chat.example.org', signingSecret: 'secret' }
const now = new Date('2030-01-01T00:00:00.700Z')
const asset = { assetId: 'A1', userId: 'Ualice', now }
const image = { width: 960, height: 400, fit: 'contain' } as const
const tokenOf = (url: string) => new URL(url).searchParams.get('access') ?? ''
const token = tokenOf(assetUrl(from, asset).url)
const [content = '', signature = ''] = token.split('.')

describe('the signed URL of an attachment', () => {
  test('is absolute, below the public URL, and valid for 24 hours', () => {
    const { url, expiresAt } = assetUrl({ ...from, publicUrl: 'https://chat.example.org/' }, asset)
    expect(url).toBe(`https://chat.example.org/assets/files/A1?access=${token}`)
    expect(expiresAt).toEqual(new Date('2030-01-02T00:00:00Z'))
    expect(readAssetAccess(['secret'], token, now)).toEqual({
      ...{ assetId: 'A1', userId: 'Ualice', expiresAt },
      ...{ image: undefined, variant: undefined },
    })
    expect(readAssetAccess(['secret'], token, new Date(expiresAt.getTime() - 1))).toBeDefined()
    expect(readAssetAccess(['secret'], token, expiresAt)).toBeUndefined()
  })

  test('of a resized image is bound to the size', () => {
    const { url } = assetUrl(from, { ...asset, image })
    expect(new URL(url).pathname).toBe('/assets/files/A1/image/960x400/contain')
    expect(readAssetAccess(['secret'], tokenOf(url), now)).toMatchObject({ assetId: 'A1', image })
  })

  test.each([
    ['poster', '/assets/files/A1/poster'],
    ['720p', '/assets/files/A1/video/720p'],
  ] as const)('of the video rendition %s is bound to it', (variant, path) => {
    const { url } = assetUrl(from, { ...asset, variant })
    expect(new URL(url).pathname).toBe(path)
    expect(readAssetAccess(['secret'], tokenOf(url), now)).toMatchObject({ variant, image: undefined })
  })

  test('is valid with an older secret as long as that is configured', () => {
    expect(readAssetAccess(['new', 'secret'], token, now)).toBeDefined()
    expect(readAssetAccess(['new'], token, now)).toBeUndefined()
  })

  test('is refused if any part of its token is changed', () => {
    const other = tokenOf(assetUrl(from, { ...asset, userId: 'Ubob' }).url).split('.')[0]
    const publicImage = serverImageUrl(from, 'KEY', image).split('/').at(-1)
    for (const text of [
      `${other}.${signature}`,
      `${content}.${signature.slice(2)}`,
      `${content}.${signature.toUpperCase()}`,
      ...[content, publicImage ?? '', '', '.', `${token}.${token}`],
    ])
      expect(readAssetAccess(['secret'], text, now)).toBeUndefined()
  })

  test.each([0, 4097, 1.5, Number.NaN])('is not created for an image with a side of %p', (width) => {
    expect(() => assetUrl(from, { ...asset, image: { ...image, width } })).toThrow(RangeError)
  })
})
