import type { ServerImageFit, ServerImageSize } from '@parley/signed-urls'
import { NetworkCounts, networksOf } from '@parley/redis'
import { FairSemaphore } from '@parley/runtime'
import sharp, { type FitEnum, type ResizeOptions } from 'sharp'
import { imageIsBroken, imageTakesTooLong, tooManyImages } from '../../errors.ts'
import { assertStillImage, decoding, inspectAttachment } from './inspect.ts'

/** An image as stored: WebP. */
export type MadeImage = { bytes: Buffer; width: number; height: number }

/** Properties of an image that is stored unchanged. */
export type MeasuredImage = { contentType: string; width: number; height: number; animated: boolean }

/** Another size of an image. */
export type ResizedImage = { bytes: Buffer; contentType: 'image/jpeg' | 'image/webp' }

/** Purpose of the image: attachments become JPEG, or WebP if they have transparency; public images become WebP. */
export type ResizedKind = 'attachment' | 'public image'

/**
 * `callerId`: the person or the public image whose quota is used; `address`: address of the requesting client.
 */
export type Resizing = { size: ServerImageSize; as: ResizedKind; callerId: string; address: string }

/** Decodes images, as many concurrently as memory and cores allow. */
export type ImageProcessor = {
  /** Converts an uploaded image for storage, limited to a size. Throws `invalid_argument` for an invalid image. */
  make(read: () => Promise<Buffer>, maxSize: { width: number; height: number; callerId: string }): Promise<MadeImage>
  /** Inspects an image that is stored unchanged. Throws `invalid_argument` for an invalid image. */
  measure(read: () => Promise<Buffer>, callerId: string): Promise<MeasuredImage>
  /** Makes another size of a stored image: its first frame, never larger unless it is stretched. */
  resize(read: () => Promise<Buffer>, wanted: Resizing): Promise<ResizedImage>
}

const fits: Record<ServerImageFit, keyof FitEnum> = { contain: 'inside', cover: 'cover', exact: 'fill' }
const maxWaiting = 64
/** Per person, or per public image. */
const maxWaitingPerCaller = 16
/** Maximum number of sizes for which one network, of any width, may wait. */
const maxPerNetwork = 32
const maxPerWideNetwork = 48
const timeoutSeconds = 10
/** Calls that wait longer are refused, and may be retried. */
const maxWaitMs = 10_000

export function openImageProcessor({ atOnce }: { atOnce: number }): ImageProcessor {
  sharp.cache(false)
  // Blocks all image loaders except the required ones, regardless of the declared type.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: ['Jpeg', 'Png', 'Nsgif', 'Webp'].map((format) => `VipsForeignLoad${format}`) })
  const resizing = new NetworkCounts(maxPerNetwork, maxPerWideNetwork)
  const semaphore = new FairSemaphore({ atOnce, maxWaiting, maxWaitingPerCaller, refusal: tooManyImages, maxWaitMs })
  return {
    make: (read, { callerId, ...maxSize }) =>
      semaphore.run(async () => {
        const bytes = await read()
        await assertStillImage(bytes)
        return make(bytes, { ...maxSize, fit: 'inside', withoutEnlargement: true })
      }, callerId),
    measure: (read, callerId) =>
      semaphore.run(async () => {
        const bytes = await read()
        const { format, ...measured } = await inspectAttachment(bytes)
        // Truncated and damaged images are detected only by decoding all pixels.
        await make(bytes, { width: 32, height: 32, fit: 'inside' })
        return { contentType: `image/${format}`, ...measured }
      }, callerId),
    resize: async (read, { size, as, callerId, address }) => {
      const networks = networksOf(address)
      if (!resizing.take(networks)) throw tooManyImages()
      try {
        return await semaphore.run(async () => resize(await read(), size, as), callerId)
      } finally {
        resizing.release(networks)
      }
    },
  }
}

async function resize(bytes: Buffer, { width, height, fit }: ServerImageSize, as: ResizedKind): Promise<ResizedImage> {
  try {
    const decoded = sharp(bytes, decoding)
    const { hasAlpha } = await decoded.metadata()
    const resized = decoded
      .autoOrient()
      .resize({ width, height, fit: fits[fit], withoutEnlargement: fit !== 'exact' })
      .timeout({ seconds: timeoutSeconds })
    if (as === 'attachment' && !hasAlpha)
      return { bytes: await resized.jpeg({ quality: 75 }).toBuffer(), contentType: 'image/jpeg' }
    const quality = as === 'attachment' ? 75 : 80
    return { bytes: await resized.webp({ quality }).toBuffer(), contentType: 'image/webp' }
  } catch (error) {
    throw whyNotDecoded(error)
  }
}

/** Re-encodes an image: upright, small enough, in sRGB, and without metadata. */
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
    throw whyNotDecoded(error)
  }
}

const whyNotDecoded = (error: unknown) =>
  error instanceof Error && /timeout/i.test(error.message) ? imageTakesTooLong(error) : imageIsBroken(error)
