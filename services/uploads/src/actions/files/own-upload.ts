import type { Context } from '../../context.ts'
import { uploadNotFound, uploadOfAnother } from '../../errors.ts'
import { findUpload, type UploadRow } from '../../store/uploads.ts'

export async function getOwnUpload(ctx: Context, id: string, userId: string): Promise<UploadRow> {
  const upload = await findUpload(ctx.db, id, ctx.now())
  if (!upload) throw uploadNotFound()
  if (upload.ownerId !== userId) throw uploadOfAnother()
  return upload
}
