import type { Metadata, SharpOptions } from 'sharp'
import * as errors from '../../errors.ts'
import { loadSharp } from './sharp.ts'
import { framesOfWebp, isAnimatedPng, sniffImage, type ImageFormat } from './sniff.ts'

const maxSide = 16_384
const maxPixels = 40_000_000
const maxFrames = 256
const maxPixelsOfFrames = 100_000_000

export const decoderOptions: SharpOptions = { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true }

/**
 * Does not decode pixels. Throws `invalid_argument` for an empty image, a format other than `ImageFormat`, an
 * animation, too many pixels and an unreadable header.
 */
export async function assertStillImage(bytes: Buffer): Promise<void> {
  const format = formatOf(bytes)
  if (format === 'png' && isAnimatedPng(bytes)) throw errors.imageIsAnimated()
  const { pages } = await readHeader(bytes)
  if (pages > 1) throw errors.imageIsAnimated()
}

/**
 * Like `assertStillImage`, except that a GIF or WebP may be animated, within a limit of frames and their pixels, and an
 * animated PNG counts as still. Returns the size when displayed upright.
 */
export async function inspectAttachment(
  bytes: Buffer,
): Promise<{ format: ImageFormat; width: number; height: number; animated: boolean }> {
  const format = formatOf(bytes)
  const { width, height, pages, displayed } = await readHeader(bytes)
  if (pages > maxFrames || width * height * pages > maxPixelsOfFrames) throw errors.tooManyFrames()
  return { format, ...displayed, animated: pages > 1 }
}

function formatOf(bytes: Buffer): ImageFormat {
  if (bytes.length === 0) throw errors.imageIsEmpty()
  const format = sniffImage(bytes)
  if (format === 'markup') throw errors.imageIsMarkup()
  if (format === undefined) throw errors.notAnImage()
  return format
}

async function readHeader(bytes: Buffer) {
  // The time to read the header grows with the square of the number of frames, and reading cannot be aborted.
  if (framesOfWebp(bytes) > maxFrames) throw errors.tooManyFrames()
  const { width, height, pages = 1, pageHeight = height, autoOrient } = await readMetadata(bytes)
  if (width > maxSide || pageHeight > maxSide || width * pageHeight > maxPixels)
    throw errors.imageHasTooManyPixels(width, pageHeight)
  const displayed = pages > 1 ? { width, height: pageHeight } : autoOrient
  return { width, height: pageHeight, pages, displayed }
}

async function readMetadata(bytes: Buffer): Promise<Metadata> {
  const sharp = await loadSharp()
  try {
    // No limit here, so that the error for a large image can state its size.
    return await sharp(bytes, { ...decoderOptions, limitInputPixels: false }).metadata()
  } catch (error) {
    throw errors.imageIsBroken(error)
  }
}
