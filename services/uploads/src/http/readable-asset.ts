import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import { findAsset, type AssetRow } from '../store/assets.ts'
import { privately } from './private-headers.ts'
import { readerOf, type Wanted } from './reader.ts'
import { noSuchAsset, Refusal } from './refusal.ts'

/**
 * A file that whoever asks for it, or for something made of it, may read now, and what every answer says of it. Throws a
 * refusal, or `unavailable` when that cannot be told.
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
