import { createHmac, timingSafeEqual } from 'node:crypto'
import { isImageSize, type ServerImageSize } from './server-image-url.ts'

/** The access that a signed URL of an attachment grants. The user must also be a member of the room. */
export type AssetAccess = {
  readonly assetId: string
  readonly userId: string
  readonly expiresAt: Date
  /** The size in which the image may be read; undefined for the original and for variants. */
  readonly image: ServerImageSize | undefined
  /** Undefined for the original and for images. */
  readonly variant: VideoVariant | undefined
}

export type VideoVariant = 'poster' | `${number}p`

export const isVideoVariant = (name: unknown): name is VideoVariant =>
  typeof name === 'string' && /^(poster|[1-9]\d{0,4}p)$/.test(name)

export const assetUrlLifeMs = 24 * 3_600_000

/** 128 bits. The prefix distinguishes these signatures from those of public images, which use the same secret. */
const signatureOf = (secret: string, content: string): Buffer =>
  createHmac('sha256', secret).update(`files/${content}`).digest().subarray(0, 16)

/**
 * Absolute URL of an attachment for one user, valid for a day: of the original, another size of an image (`image`), or a
 * rendition of a video (`variant`). Reads need no credential, but this user must still be a member of the room. Throws a
 * RangeError for a side that is not 1 to 4096.
 */
export function assetUrl(
  { publicUrl, signingSecret }: { publicUrl: string; signingSecret: string },
  asset: { assetId: string; userId: string; now: Date; image?: ServerImageSize; variant?: VideoVariant },
): { url: string; expiresAt: Date } {
  const { assetId, userId, now, image, variant } = asset
  if (image && !isImageSize(image)) throw new RangeError('the sides of an image must have 1 to 4096 pixels')
  const seconds = Math.floor((now.getTime() + assetUrlLifeMs) / 1000)
  const what = image ? { w: image.width, h: image.height, f: image.fit } : variant && { v: variant }
  const content = Buffer.from(JSON.stringify({ a: assetId, u: userId, e: seconds, ...what })).toString('base64url')
  const token = `${content}.${signatureOf(signingSecret, content).toString('hex')}`
  const path = `/assets/files/${assetId}${suffixOf(asset)}`
  return { url: `${publicUrl.replace(/\/+$/, '')}${path}?access=${token}`, expiresAt: new Date(seconds * 1000) }
}

function suffixOf({ image, variant }: { image?: ServerImageSize; variant?: VideoVariant }): string {
  if (image) return `/image/${image.width}x${image.height}/${image.fit}`
  if (variant) return variant === 'poster' ? '/poster' : `/video/${variant}`
  return ''
}

/** Undefined if the access has expired or none of the secrets signed it. */
export function readAssetAccess(signingSecrets: readonly string[], text: string, now: Date): AssetAccess | undefined {
  const [, content = '', signature = ''] = /^([\w-]{1,400})\.([0-9a-f]{32})$/.exec(text) ?? []
  const given = Buffer.from(signature, 'hex')
  if (given.length !== 16) return undefined
  if (!signingSecrets.some((secret) => timingSafeEqual(given, signatureOf(secret, content)))) return undefined
  const { a, u, e, w, h, f, v } = JSON.parse(Buffer.from(content, 'base64url').toString()) as Record<string, unknown>
  if (typeof a !== 'string' || typeof u !== 'string' || typeof e !== 'number' || e * 1000 <= now.getTime())
    return undefined
  const image = { width: w, height: h, fit: f }
  if (w !== undefined && !isImageSize(image)) return undefined
  return {
    ...{ assetId: a, userId: u, expiresAt: new Date(e * 1000) },
    image: isImageSize(image) ? image : undefined,
    variant: isVideoVariant(v) ? v : undefined,
  }
}
