import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import { findReadableFile, type StoredFile } from '../actions/files/stored-files.ts'
import type { AssetRow } from '../store/assets.ts'
import { privateHeaders } from './private-headers.ts'
import { getReader, type Wanted } from './reader.ts'
import { noSuchAsset, Refusal } from './refusal.ts'

/**
 * Returns the file and the common response headers. Throws a refusal unless the client may read it in the requested
 * form, or `unavailable` if access cannot be checked.
 */
export async function findReadableAsset(
  ctx: Context,
  request: IncomingMessage,
  response: ServerResponse,
  wanted: Wanted,
): Promise<StoredFile<AssetRow> & { userId: string; headers: OutgoingHttpHeaders }> {
  const reader = await getReader(ctx, request, response, wanted)
  const file = await findReadableFile(ctx, reader, wanted.assetId)
  if (file === 'missing') throw noSuchAsset()
  if (file === 'not a member') throw new Refusal(403, 'permission denied: you are not a member of this room')
  return { ...file, userId: reader.userId, headers: privateHeaders(reader) }
}
