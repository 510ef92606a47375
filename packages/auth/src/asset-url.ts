import { createHmac, timingSafeEqual } from 'node:crypto'
import { isImageSize, type ServerImageSize } from './server-image-url.ts'

/** What the address of an attachment lets its holder read, as long as they are a member of its room. */
export type AssetTicket = {
  readonly assetId: string
  /** Who may read it. */
  readonly userId: string
  readonly expiresAt: Date
  /** The size in which the image may be read; undefined for the original. */
  readonly image: ServerImageSize | undefined
}

/** How long an address of an attachment works. */
export const assetUrlLifeMs = 24 * 3_600_000

/** 128 bits, as hex. The prefix keeps these apart from the addresses of public images, which the same secret signs. */
const signatureOf = (secret: string, content: string): Buffer =>
  createHmac('sha256', secret).update(`files/${content}`).digest().subarray(0, 16)

/**
 * Absolute address under which one user reads an attachment for a day: the original, or a small image of it. It holds no
 * credential: membership of the room is looked at with every read. Throws a RangeError for a side that is not 1 to 4096.
 */
export function assetUrl(
  { publicUrl, signingSecret }: { publicUrl: string; signingSecret: string },
  asset: { assetId: string; userId: string; now: Date; image?: ServerImageSize },
): { url: string; expiresAt: Date } {
  const { assetId, userId, now, image } = asset
  if (image && !isImageSize(image)) throw new RangeError('a side of an image has 1 to 4096 pixels')
  const seconds = Math.floor((now.getTime() + assetUrlLifeMs) / 1000)
  const size = image && { w: image.width, h: image.height, f: image.fit }
  const content = Buffer.from(JSON.stringify({ a: assetId, u: userId, e: seconds, ...size })).toString('base64url')
  const ticket = `${content}.${signatureOf(signingSecret, content).toString('hex')}`
  const path = `/assets/files/${assetId}${image ? `/image/${image.width}x${image.height}/${image.fit}` : ''}`
  return { url: `${publicUrl.replace(/\/+$/, '')}${path}?access=${ticket}`, expiresAt: new Date(seconds * 1000) }
}

/** The ticket in such an address (`access`); undefined unless one of the secrets signed it and it still holds. */
export function readAssetTicket(signingSecrets: readonly string[], text: string, now: Date): AssetTicket | undefined {
  const [, content = '', signature = ''] = /^([\w-]{1,400})\.([0-9a-f]{32})$/.exec(text) ?? []
  const given = Buffer.from(signature, 'hex')
  if (given.length !== 16) return undefined
  if (!signingSecrets.some((secret) => timingSafeEqual(given, signatureOf(secret, content)))) return undefined
  const { a, u, e, w, h, f } = JSON.parse(Buffer.from(content, 'base64url').toString()) as Record<string, unknown>
  if (typeof a !== 'string' || typeof u !== 'string' || typeof e !== 'number' || e * 1000 <= now.getTime())
    return undefined
  const image = { width: w, height: h, fit: f }
  if (w !== undefined && !isImageSize(image)) return undefined
  return { assetId: a, userId: u, expiresAt: new Date(e * 1000), image: isImageSize(image) ? image : undefined }
}
