import type { ServerImageFit, ServerImageSize } from '@parley/signed-urls'
import { NetworkCounts, networksOf } from '@parley/redis'
import { FairSemaphore } from '@parley/runtime'
import type { FitEnum, ResizeOptions } from 'sharp'
import { imageIsBroken, imageTakesTooLong, tooManyImages } from '../../errors.ts'
import { assertStillImage, decoderOptions, inspectAttachment } from './inspect.ts'
import { loadSharp } from './sharp.ts'

export type ConvertedImage = { bytes: Buffer; width: number; height: number }

export type InspectedImage = { contentType: string; width: number; height: number; animated: boolean }

export type ResizedImage = { bytes: Buffer; contentType: 'image/jpeg' | 'image/webp' }

export type ResizedKind = 'attachment' | 'public image'

export type ResizeRequest = { size: ServerImageSize; as: ResizedKind; callerId: string; address: string }

export type ImageProcessor = {
  convert(
    read: () => Promise<Buffer>,
    maxSize: { width: number; height: number; callerId: string },
  ): Promise<ConvertedImage>
  /** For an image that is stored unchanged. Throws `invalid_argument` for an invalid image. */
  inspect(read: () => Promise<Buffer>, callerId: string): Promise<InspectedImage>
  /** Uses the first frame. Only the fit `exact` enlarges. */
  resize(read: () => Promise<Buffer>, wanted: ResizeRequest): Promise<ResizedImage>
}

const fits: Record<ServerImageFit, keyof FitEnum> = { contain: 'inside', cover: 'cover', exact: 'fill' }
const maxWaiting = 64
const maxWaitingPerCaller = 16
/** Limit of waiting and running resizes for one IPv4 address or IPv6 /64. */
const maxPerNetwork = 32
/** Limit for a wider network (IPv4 /24, IPv6 /56 or /48), which several clients may share. */
const maxPerWideNetwork = 48
const timeoutSeconds = 10
const maxWaitMs = 10_000

export function openImageProcessor({ atOnce }: { atOnce: number }): ImageProcessor {
  const waiting = new NetworkCounts(maxPerNetwork, maxPerWideNetwork)
  const semaphore = new FairSemaphore({ atOnce, maxWaiting, maxWaitingPerCaller, refusal: tooManyImages, maxWaitMs })
  return {
    convert: (read, { callerId, ...maxSize }) =>
      semaphore.run(async () => {
        const bytes = await read()
        await assertStillImage(bytes)
        return convert(bytes, { ...maxSize, fit: 'inside', withoutEnlargement: true })
      }, callerId),
    inspect: (read, callerId) =>
      semaphore.run(async () => {
        const bytes = await read()
        const { format, ...properties } = await inspectAttachment(bytes)
        // Truncated and damaged images are detected only by decoding all pixels.
        await convert(bytes, { width: 32, height: 32, fit: 'inside' })
        return { contentType: `image/${format}`, ...properties }
      }, callerId),
    resize: async (read, { size, as, callerId, address }) => {
      const networks = networksOf(address)
      if (!waiting.take(networks)) throw tooManyImages()
      try {
        return await semaphore.run(async () => resize(await read(), size, as), callerId)
      } finally {
        waiting.release(networks)
      }
    },
  }
}

async function resize(bytes: Buffer, { width, height, fit }: ServerImageSize, as: ResizedKind): Promise<ResizedImage> {
  const sharp = await loadSharp()
  try {
    const decoded = sharp(bytes, decoderOptions)
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
    throw toImageError(error)
  }
}

/** Re-encodes an image: upright, small enough, in sRGB, and without metadata. */
async function convert(bytes: Buffer, resize: ResizeOptions): Promise<ConvertedImage> {
  const sharp = await loadSharp()
  try {
    const converted = await sharp(bytes, decoderOptions)
      .autoOrient()
      .resize(resize)
      .webp({ lossless: true })
      .timeout({ seconds: timeoutSeconds })
      .toBuffer({ resolveWithObject: true })
    return { bytes: converted.data, width: converted.info.width, height: converted.info.height }
  } catch (error) {
    throw toImageError(error)
  }
}

const toImageError = (error: unknown) =>
  error instanceof Error && /timeout/i.test(error.message) ? imageTakesTooLong(error) : imageIsBroken(error)
