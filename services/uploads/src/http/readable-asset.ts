import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import { findAsset, type AssetRow } from '../store/assets.ts'
import { privately } from './private-headers.ts'
import { readerOf, type Wanted } from './reader.ts'
import { noSuchAsset, Refusal } from './refusal.ts'

/**
 * A file that the client may read, itself or a rendition, with the common response headers. Throws a refusal, or
 * `unavailable` when access cannot be checked.
 */
export async function readableAsset(
  ctx: Context,
  request: IncomingMessage,
  response: ServerResponse,
  wanted: Wanted,
): Promise<{ asset: AssetRow; userId: string; headers: OutgoingHttpHeaders }> {
  const reader = await readerOf(ctx, request, response, wanted)
  const asset = await findAsset(ctx.db, wanted.assetId, reader.userId)
  if (!asset) throw noSuchAsset()
  const { exists, effectiveMember } = await ctx.rooms.ask(reader, asset.roomId)
  if (!exists) throw noSuchAsset()
  if (!effectiveMember) throw new Refusal(403, 'permission denied: you are not a member of this room')
  return { asset, userId: reader.userId, headers: privately(reader) }
}
