import sharp, { type Metadata, type SharpOptions } from 'sharp'
import * as errors from '../errors.ts'
import { isAnimatedPng, sniffImage } from './sniff.ts'

const maxSide = 16_384
const maxPixels = 40_000_000

/** How bytes are decoded: whatever the header says, no more pixels than allowed are ever made. */
export const decoding: SharpOptions = { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true }

/**
 * Looks at an image without decoding its pixels. Throws `invalid_argument` for what is not taken: other formats whatever
 * they are called, animated, too many pixels, a header that cannot be read.
 */
export async function assertStillImage(bytes: Buffer): Promise<void> {
  if (bytes.length === 0) throw errors.imageIsEmpty()
  const format = sniffImage(bytes)
  if (format === 'markup') throw errors.imageIsMarkup()
  if (format === undefined) throw errors.notAnImage()
  if (format === 'png' && isAnimatedPng(bytes)) throw errors.imageIsAnimated()
  const { width, height, pages = 1 } = await header(bytes)
  if (width > maxSide || height > maxSide || width * height > maxPixels)
    throw errors.imageHasTooManyPixels(width, height)
  if (pages > 1) throw errors.imageIsAnimated()
}

async function header(bytes: Buffer): Promise<Metadata> {
  try {
    // Without a limit: of an image that is too large the size shall be said.
    return await sharp(bytes, { ...decoding, limitInputPixels: false }).metadata()
  } catch (error) {
    throw errors.imageIsBroken(error)
  }
}
