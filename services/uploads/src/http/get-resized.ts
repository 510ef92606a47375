import type { Context } from '../context.ts'
import type { ResizedImage, ResizeRequest, CachedSizeId } from '../engines/images/index.ts'
import { Refusal } from './refusal.ts'

/**
 * Takes the size from the cache or generates it. Throws a refusal if too many sizes were generated for `callerId` or
 * the client's network.
 */
export const getResized = (
  { renderingLimit, imageProcessor, transforms }: Context,
  { read, ...wanted }: CachedSizeId & ResizeRequest & { read: () => Promise<Buffer> },
): Promise<ResizedImage> | ResizedImage =>
  transforms.get(wanted, () => {
    const waitMs = renderingLimit.take(wanted.callerId, wanted.address)
    if (waitMs > 0) throw tooManyRenderings(waitMs)
    return imageProcessor.resize(read, wanted)
  })

const tooManyRenderings = (waitMs: number): Refusal =>
  new Refusal(429, 'too many image sizes requested; wait and try again', {
    'retry-after': String(Math.ceil(waitMs / 1000)),
  })
