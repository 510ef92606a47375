import type { MethodImpl } from '@connectrpc/connect'
import type { UploadsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { fetchImage } from '../../engines/fetch/index.ts'
import { storeImage, toStoredImageKind } from '../../engines/images/index.ts'

export function importServerImage(ctx: Context): MethodImpl<typeof UploadsInternalService.method.importServerImage> {
  return async ({ url, kind, ownerId }, call) => {
    const wanted = { kind: toStoredImageKind(kind), ownerId }
    // The image is fetched before it waits for a decoder, so that a slow server occupies no decoder.
    const bytes = await fetchImage(ctx.fetch, { url, callerId: ownerId }, call.signal)
    return { key: await storeImage(ctx, wanted, () => Promise.resolve(bytes)) }
  }
}
