import type { Context } from '../../context.ts'
import { findAttachmentUses, findShownPreviewImages } from '../../store/file-uses.ts'

/**
 * Returns which of these files are attached to messages, and to which; and which of these images are shown in link
 * previews.
 */
export const findUsesOfFiles = async (
  { pool }: Pick<Context, 'pool'>,
  { assetIds, previewImageKeys }: { assetIds: string[]; previewImageKeys: string[] },
) => ({
  attachments: await findAttachmentUses(pool, assetIds),
  previewImageKeys: await findShownPreviewImages(pool, previewImageKeys),
})
