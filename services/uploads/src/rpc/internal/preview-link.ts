import { createHash } from 'node:crypto'
import { fromBinary } from '@bufbuild/protobuf'
import type { MethodImpl } from '@connectrpc/connect'
import { PagePreviewSchema, type UploadsInternalService } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import type { Context } from '../../context.ts'
import { badPageUrl } from '../../errors.ts'
import { parseHttpUrl } from '../../engines/fetch/index.ts'
import { fetchPreview } from '../../actions/previews/fetch-preview.ts'
import { findPreview, insertPreview } from '../../store/link-previews.ts'

const maxUrlLength = 2_048
const previewTtlMs = 24 * 3_600_000
const noPreviewTtlMs = 3_600_000

export function previewLink(ctx: Context): MethodImpl<typeof UploadsInternalService.method.previewLink> {
  return async ({ url: givenUrl, userId: callerId }) => {
    const url = parsePageUrl(givenUrl)
    const urlDigest = createHash('sha256').update(url.href).digest()
    const cached = await findPreview(ctx.db, urlDigest, ctx.now())
    const stored = cached
      ? cached.preview
      : await ctx.pages.run({ id: url.href, callerId }, async (closing) => {
          const { preview, imageKey } = await fetchPreview(ctx, { url, callerId }, closing)
          const expiresAt = new Date(ctx.now().getTime() + (preview ? previewTtlMs : noPreviewTtlMs))
          const row = { urlDigest, preview: preview ?? null, imageKey: imageKey ?? null, expiresAt }
          await insertPreview(ctx.db, { id: newId('asset'), ...row })
          return preview
        })
    // The requested URL may be written differently from the stored one.
    return stored ? { preview: { ...fromBinary(PagePreviewSchema, stored), url: givenUrl } } : {}
  }
}

function parsePageUrl(givenUrl: string): URL {
  try {
    if (givenUrl.length > maxUrlLength) throw badPageUrl()
    const url = parseHttpUrl(givenUrl)
    url.hash = ''
    return url
  } catch {
    throw badPageUrl()
  }
}
