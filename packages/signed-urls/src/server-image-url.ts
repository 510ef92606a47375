import { createHmac, timingSafeEqual } from 'node:crypto'

/** Inside the size, filling it, or stretched to it. */
export const serverImageFits = ['contain', 'cover', 'exact'] as const
export type ServerImageFit = (typeof serverImageFits)[number]

/** Pixels. */
export type ServerImageSize = { readonly width: number; readonly height: number; readonly fit: ServerImageFit }

const maxSide = 4096

/** 128 bits. */
function signatureOf(secret: string, key: string, params: string): Buffer {
  return createHmac('sha256', secret).update(`server/${key}/${params}`).digest().subarray(0, 16)
}

/**
 * Absolute URL of a public image (avatar, logo, banner) in one size. It needs no credential and is the same whenever
 * the image, the size and the secret are the same. It has no expiry, because keys are random and never reused, but is
 * refused once its secret is no longer accepted. Throws a RangeError for a side that is not 1 to 4096.
 */
export function serverImageUrl(
  { publicUrl, signingSecret }: { publicUrl: string; signingSecret: string },
  key: string,
  { width, height, fit }: ServerImageSize,
): string {
  if (!isImageSize({ width, height, fit })) throw new RangeError('the sides of an image must have 1 to 4096 pixels')
  const params = Buffer.from(JSON.stringify({ w: width, h: height, f: fit })).toString('base64url')
  const signature = signatureOf(signingSecret, key, params).toString('hex')
  return `${publicUrl.replace(/\/+$/, '')}/assets/server/${key}/t/${params}.${signature}`
}

/**
 * The size in the last segment of a public image's URL (`{params}.{signature}`); undefined unless one of the secrets
 * signed it for this key.
 */
export function readServerImageParams(
  signingSecrets: readonly string[],
  key: string,
  segment: string,
): ServerImageSize | undefined {
  const [, params = '', signature = ''] = /^([\w-]{1,200})\.([0-9a-f]{32})$/.exec(segment) ?? []
  const given = Buffer.from(signature, 'hex')
  if (given.length !== 16) return undefined
  if (!signingSecrets.some((secret) => timingSafeEqual(given, signatureOf(secret, key, params)))) return undefined
  return sizeFrom(params)
}

function sizeFrom(params: string): ServerImageSize | undefined {
  const { w: width, h: height, f: fit } = JSON.parse(Buffer.from(params, 'base64url').toString()) as Params
  const size = { width, height, fit }
  return isImageSize(size) ? size : undefined
}

type Params = Record<string, unknown>

/** 1 to 4096 pixels per side, and a known fit. */
export function isImageSize(size: { width: unknown; height: unknown; fit: unknown }): size is ServerImageSize {
  return isSide(size.width) && isSide(size.height) && serverImageFits.some((known) => known === size.fit)
}

const isSide = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxSide
