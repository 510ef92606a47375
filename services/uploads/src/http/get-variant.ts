import type { IncomingMessage, ServerResponse } from 'node:http'
import type { VideoVariant } from '@parley/signed-urls'
import type { Context } from '../context.ts'
import { reportFileWithoutBytes } from '../metrics.ts'
import { storageKeys } from '../engines/storage/index.ts'
import { findVariant } from '../store/asset-variants.ts'
import { repliedElsewhere } from './elsewhere.ts'
import { readableAsset } from './readable-asset.ts'
import { noSuchAsset } from './refusal.ts'
import { repliedUnchanged, send } from './send.ts'

type Asked = { assetId: string; variant: VideoVariant }

/** `GET /assets/files/{id}/video/{quality}?access=TICKET` and `.../poster?access=TICKET`: what was made of videos. */
export async function getVariant(
  ctx: Context,
  { assetId, variant }: Asked,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { asset, headers } = await readableAsset(ctx, request, response, { assetId, size: undefined, variant })
  const made = await findVariant(ctx.db, assetId, variant)
  if (!made) throw noSuchAsset()
  const file = {
    ...{ etag: `"${made.sha256}"`, lastModified: made.createdAt, size: made.size },
    headers: { ...headers, 'content-type': made.contentType, 'x-content-type-options': 'nosniff' },
  }
  if (repliedUnchanged(request, response, file)) return
  const { contentType, size } = made
  const passive = { key: storageKeys.variant(made.key), size, contentType, filename: asset.filename, headers }
  if (await repliedElsewhere(ctx, request, response, passive)) return
  await send(request, response, {
    ...file,
    open: async (range) => {
      const stored = await ctx.storage.get(storageKeys.variant(made.key), range)
      if (stored?.size === size) return stored.content
      stored?.content.destroy()
      // It may have been deleted a moment ago.
      reportFileWithoutBytes(assetId)
      throw noSuchAsset()
    },
  })
}
