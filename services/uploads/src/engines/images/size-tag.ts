import { createHash } from 'node:crypto'
import type { ServerImageSize } from '@parley/signed-urls'

/** Raised when sizes are made differently. */
const drawing = 2

/** Stands for the bytes of a size of an image, whose own bytes have this digest, for as long as `drawing` stays. */
export const sizeTag = (sha256: string, { width, height, fit }: ServerImageSize): string =>
  createHash('sha256').update(`${drawing} ${sha256} ${width}x${height} ${fit}`).digest('hex')
