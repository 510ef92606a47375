import { createHash } from 'node:crypto'
import type { ServerImageSize } from '@parley/signed-urls'

/** To be increased when sizes are generated differently. */
const drawing = 2

/** Identifies the bytes of a size of the image with this digest, until `drawing` changes. */
export const sizeTag = (sha256: string, { width, height, fit }: ServerImageSize): string =>
  createHash('sha256').update(`${drawing} ${sha256} ${width}x${height} ${fit}`).digest('hex')
