import type { Context } from '../context.ts'
import type { ResizedImage, Resizing, PictureSize } from '../engines/images/index.ts'
import { Refusal } from './refusal.ts'

/** Another size of a stored image, made unless it was lately. Throws a refusal when too many were made for the
 * caller or their network. */
export const sizeOf = (
  { renderings, imageProcessor, transforms }: Context,
  { read, ...wanted }: PictureSize & Resizing & { read: () => Promise<Buffer> },
): Promise<ResizedImage> | ResizedImage =>
  transforms.get(wanted, () => {
    const waitMs = renderings.take(wanted.callerId, wanted.address)
    if (waitMs > 0) throw tooManyRenderings(waitMs)
    return imageProcessor.resize(read, wanted)
  })

const tooManyRenderings = (waitMs: number): Refusal =>
  new Refusal(429, 'too many image sizes requested; wait and try again', {
    'retry-after': String(Math.ceil(waitMs / 1000)),
  })
