import type { Context } from '../../context.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { unknownAttachment, unknownLinkPreview } from '../../errors.ts'
import { findAttachedAsset } from '../../store/attached-assets.ts'
import type { NewAttachment } from '../../store/new-post.ts'
import { findLinkPreview } from '../../store/find-link-preview.ts'
import type { Parts, Post } from './message.ts'

export const noParts: Parts = { attachments: [], linkPreview: undefined }

/** Throws `invalid_argument` if a file or the preview's token is unusable. */
export async function prepareParts(ctx: Context, post: Post, eventId: string): Promise<Parts> {
  const [linkPreview, attachments] = await Promise.all([findPreview(ctx, post), claimFiles(ctx, post, eventId)])
  return { attachments, linkPreview }
}

async function findPreview(ctx: Context, { caller, draft }: Post): Promise<Uint8Array | undefined> {
  if (draft.linkPreviewToken === '') return undefined
  const preview = await findLinkPreview(ctx.pool, caller.userId, draft.linkPreviewToken)
  if (!preview) throw unknownLinkPreview()
  return preview
}

async function claimFiles(ctx: Context, { caller, draft }: Post, eventId: string): Promise<readonly NewAttachment[]> {
  const assetIds = draft.attachmentAssetIds
  if (assetIds.length === 0) return []
  const unusable = assetIds.find((id) => !looksLikeId(id)) ?? (await findAttachedAsset(ctx.pool, assetIds))
  if (unusable !== undefined) throw unknownAttachment(unusable)
  const claimed = await ctx.claimAssets({ roomId: draft.roomId, eventId, userId: caller.userId, assetIds })
  const byId = new Map(claimed.map((asset) => [asset.assetId, asset]))
  return assetIds.map((id) => {
    const asset = byId.get(id)
    if (!asset) throw unknownAttachment(id)
    return asset
  })
}
