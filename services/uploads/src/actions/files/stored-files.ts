import type { Readable } from 'node:stream'
import type { VideoVariant } from '@parley/signed-urls'
import type { RoomReader } from '../../clients/room-access.ts'
import type { Context } from '../../context.ts'
import { storageKeys, type ByteRange } from '../../engines/storage/index.ts'
import { reportFileWithoutBytes, reportImageWithoutBytes } from '../../metrics.ts'
import { findVariant, type VariantRow } from '../../store/asset-variants.ts'
import { findAsset, type AssetRow } from '../../store/assets.ts'
import { findServerImage, type ServerImageRow } from '../../store/server-images.ts'

/** `content` resolves with undefined if the bytes are missing, or are not as many as the row says. */
export type StoredFile<Row> = { row: Row; content: (range?: ByteRange) => Promise<Readable | undefined> }

export async function findReadableFile(
  ctx: Context,
  reader: RoomReader,
  assetId: string,
): Promise<StoredFile<AssetRow> | 'missing' | 'not a member'> {
  const row = await findAsset(ctx.db, assetId, reader.userId)
  if (!row) return 'missing'
  const { exists, effectiveMember } = await ctx.rooms.getAccess(reader, row.roomId)
  if (!exists) return 'missing'
  if (!effectiveMember) return 'not a member'
  return toStoredFile(ctx, row, storageKeys.asset(row.id), () => reportFileWithoutBytes(row.id))
}

export async function findStoredVariant(
  ctx: Context,
  assetId: string,
  variant: VideoVariant,
): Promise<StoredFile<VariantRow> | undefined> {
  const row = await findVariant(ctx.db, assetId, variant)
  return row && toStoredFile(ctx, row, storageKeys.variant(row.key), () => reportFileWithoutBytes(assetId))
}

export async function findStoredImage(ctx: Context, key: string): Promise<StoredFile<ServerImageRow> | undefined> {
  const row = await findServerImage(ctx.db, key)
  return row && toStoredFile(ctx, row, storageKeys.serverImage(key), () => reportImageWithoutBytes(key))
}

function toStoredFile<Row extends { size: number }>(
  { storage }: Context,
  row: Row,
  key: string,
  reportMissing: () => void,
): StoredFile<Row> {
  const content = async (range?: ByteRange) => {
    const found = await storage.get(key, range)
    if (found?.size === row.size) return found.content
    found?.content.destroy()
    // This also happens if the file was deleted after its row was read.
    reportMissing()
    return undefined
  }
  return { row, content }
}
