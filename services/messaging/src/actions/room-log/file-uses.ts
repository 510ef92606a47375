import type { Context } from '../../context.ts'
import { findAttachmentUses, findShownPreviewImages } from '../../store/file-uses.ts'

export const findUsesOfFiles = async (
  { pool }: Pick<Context, 'pool'>,
  { assetIds, previewImageKeys }: { assetIds: string[]; previewImageKeys: string[] },
) => ({
  attachments: await findAttachmentUses(pool, assetIds),
  previewImageKeys: await findShownPreviewImages(pool, previewImageKeys),
})
