import type { ServerImageFit, ServerImageSize } from '@parley/auth'
import { ServerImageKind } from '@parley/contracts/internal'
import sharp, { type FitEnum, type ResizeOptions } from 'sharp'
import { imageIsBroken, imageTakesTooLong, unknownKind } from '../errors.ts'
import { assertStillImage, decoding } from './inspect.ts'
import { Turnstile } from './turnstile.ts'

/** An image as it is stored: WebP. */
export type MadeImage = { bytes: Buffer; width: number; height: number }

/** Where images are decoded; so many at once as memory and cores allow. */
export type Studio = {
  /** Makes what is stored of what somebody sent. Throws `invalid_argument` for what is no good image. */
  make(read: () => Promise<Buffer>, kind: ServerImageKind): Promise<MadeImage>
  /** Makes another size of a stored image. */
  resize(read: () => Promise<Buffer>, size: ServerImageSize): Promise<Buffer>
}

const sizes = new Map<ServerImageKind, { width: number; height: number }>([
  [ServerImageKind.AVATAR, { width: 256, height: 256 }],
  [ServerImageKind.LOGO, { width: 512, height: 512 }],
  [ServerImageKind.BANNER, { width: 1200, height: 630 }],
])

const fits: Record<ServerImageFit, keyof FitEnum> = { contain: 'inside', cover: 'cover', exact: 'fill' }
const mostWaiting = 64
const timeoutSeconds = 10

export function openStudio({ atOnce }: { atOnce: number }): Studio {
  sharp.cache(false)
  // Loaders that nobody here asks for do not run, whatever a file pretends to be.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: ['Jpeg', 'Png', 'Nsgif', 'Webp'].map((format) => `VipsForeignLoad${format}`) })
  const turnstile = new Turnstile(atOnce, mostWaiting)
  return {
    make: (read, kind) =>
      turnstile.pass(async () => {
        const size = sizes.get(kind)
        if (!size) throw unknownKind()
        const bytes = await read()
        await assertStillImage(bytes)
        return make(bytes, { ...size, fit: 'inside', withoutEnlargement: true })
      }),
    resize: (read, { width, height, fit }) =>
      turnstile.pass(async () => {
        const options = { width, height, fit: fits[fit], withoutEnlargement: fit !== 'exact' }
        return sharp(await read(), decoding)
          .resize(options)
          .webp({ quality: 80 })
          .toBuffer()
      }),
  }
}

/** Upright, small enough, in sRGB, and without anything that the file said besides its pixels. */
async function make(bytes: Buffer, resize: ResizeOptions): Promise<MadeImage> {
  try {
    const made = await sharp(bytes, decoding)
      .autoOrient()
      .resize(resize)
      .webp({ lossless: true })
      .timeout({ seconds: timeoutSeconds })
      .toBuffer({ resolveWithObject: true })
    return { bytes: made.data, width: made.info.width, height: made.info.height }
  } catch (error) {
    throw error instanceof Error && /timeout/i.test(error.message) ? imageTakesTooLong(error) : imageIsBroken(error)
  }
}
