import { describe, expect, test } from '@jest/globals'
import { assetUrl, readAssetTicket } from './asset-url.ts'
import { serverImageUrl } from './server-image-url.ts'

const from = { publicUrl: 'https://chat.example.org', signingSecret: 'secret' }
const now = new Date('2030-01-01T00:00:00.700Z')
const asset = { assetId: 'A1', userId: 'Ualice', now }
const image = { width: 960, height: 400, fit: 'contain' } as const
const ticketOf = (url: string) => new URL(url).searchParams.get('access') ?? ''
const ticket = ticketOf(assetUrl(from, asset).url)
const [content = '', signature = ''] = ticket.split('.')

describe('the address of an attachment', () => {
  test('is absolute, below the public address, and works for 24 hours', () => {
    const { url, expiresAt } = assetUrl({ ...from, publicUrl: 'https://chat.example.org/' }, asset)
    expect(url).toBe(`https://chat.example.org/assets/files/A1?access=${ticket}`)
    expect(expiresAt).toEqual(new Date('2030-01-02T00:00:00Z'))
    expect(readAssetTicket(['secret'], ticket, now)).toEqual({
      ...{ assetId: 'A1', userId: 'Ualice', expiresAt },
      ...{ image: undefined, variant: undefined },
    })
    expect(readAssetTicket(['secret'], ticket, new Date(expiresAt.getTime() - 1))).toBeDefined()
    expect(readAssetTicket(['secret'], ticket, expiresAt)).toBeUndefined()
  })

  test('of a small image is bound to its size', () => {
    const { url } = assetUrl(from, { ...asset, image })
    expect(new URL(url).pathname).toBe('/assets/files/A1/image/960x400/contain')
    expect(readAssetTicket(['secret'], ticketOf(url), now)).toMatchObject({ assetId: 'A1', image })
  })

  test.each([
    ['poster', '/assets/files/A1/poster'],
    ['720p', '/assets/files/A1/video/720p'],
  ] as const)('of the %s of a video is bound to it', (variant, path) => {
    const { url } = assetUrl(from, { ...asset, variant })
    expect(new URL(url).pathname).toBe(path)
    expect(readAssetTicket(['secret'], ticketOf(url), now)).toMatchObject({ variant, image: undefined })
  })

  test('is valid with an older secret while that is listed', () => {
    expect(readAssetTicket(['new', 'secret'], ticket, now)).toBeDefined()
    expect(readAssetTicket(['new'], ticket, now)).toBeUndefined()
  })

  test('is refused if any part is changed', () => {
    const other = ticketOf(assetUrl(from, { ...asset, userId: 'Ubob' }).url).split('.')[0]
    const publicImage = serverImageUrl(from, 'KEY', image).split('/').at(-1)
    for (const text of [
      `${other}.${signature}`,
      `${content}.${signature.slice(2)}`,
      `${content}.${signature.toUpperCase()}x`,
      ...[content, publicImage ?? '', '', '.', `${ticket}.${ticket}`],
    ])
      expect(readAssetTicket(['secret'], text, now)).toBeUndefined()
  })

  test.each([0, 4097, 1.5, Number.NaN])('cannot have a side of %p', (width) => {
    expect(() => assetUrl(from, { ...asset, image: { ...image, width } })).toThrow(RangeError)
  })
})
