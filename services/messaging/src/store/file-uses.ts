import { endOfPreview } from '../domain/page-preview.ts'
import { statement, type Connection } from './statement.ts'

export type AttachmentUse = { assetId: string; messageEventId: string }

const findAttachments = statement<AttachmentUse>(
  'find_attachment_uses',
  `select a.asset_id as "assetId", e.event_id as "messageEventId"
from message_attachments a join room_events e on e.room_id = a.room_id and e.seq = a.seq
where a.asset_id = any ($1::text[])`,
)

const findShownPreviewEnds = statement<{ end: Buffer }>(
  'find_shown_preview_ends',
  `select requested.preview_end as "end" from unnest($1::bytea[]) as requested (preview_end) where exists (
  select from room_events e where e.link_preview is not null
    and substring(e.link_preview from octet_length(e.link_preview) - 16) = requested.preview_end
)`,
)

export function findAttachmentUses(on: Connection, assetIds: readonly string[]): Promise<AttachmentUse[]> {
  return findAttachments.run(on, [assetIds])
}

export async function findShownPreviewImages(on: Connection, imageKeys: readonly string[]): Promise<string[]> {
  const keyOf = new Map(imageKeys.map((key) => [Buffer.from(endOfPreview(key)).toString('hex'), key]))
  const found = await findShownPreviewEnds.run(on, [[...keyOf.keys()].map((end) => Buffer.from(end, 'hex'))])
  return found.flatMap(({ end }) => keyOf.get(end.toString('hex')) ?? [])
}
