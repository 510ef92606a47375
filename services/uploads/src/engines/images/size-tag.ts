import { createHash } from 'node:crypto'
import type { ServerImageSize } from '@parley/signed-urls'

const renderingVersion = 2

/** Identifies the bytes of the image with this digest in this size, until `renderingVersion` changes. */
export const sizeTag = (sha256: string, { width, height, fit }: ServerImageSize): string =>
  createHash('sha256').update(`${renderingVersion} ${sha256} ${width}x${height} ${fit}`).digest('hex')
