import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { PagePreviewSchema } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import type { Fleet } from './_fleet.ts'

type File = { filename?: string; contentType?: string; width?: number; height?: number }

const seq = '(select seq from room_events where room_id = $1 and event_id = $2)'

export async function attach(fleet: Fleet, roomId: string, eventId: string, files: File[]): Promise<string[]> {
  const ids: string[] = []
  for (const [
    position,
    { filename = 'notes.txt', contentType = 'text/plain', width = 0, height = 0 },
  ] of files.entries()) {
    const assetId = newId('asset')
    ids.push(assetId)
    await fleet.pool.query(
      `insert into message_attachments (room_id, seq, position, asset_id, filename, content_type, size, width, height)
       values ($1, ${seq}, $3, $4, $5, $6, 1000, $7, $8)`,
      [roomId, eventId, position, assetId, filename, contentType, width, height],
    )
  }
  return ids
}

export async function addPreview(
  fleet: Fleet,
  roomId: string,
  eventId: string,
  page: MessageInitShape<typeof PagePreviewSchema>,
): Promise<void> {
  const bytes = Buffer.from(toBinary(PagePreviewSchema, create(PagePreviewSchema, page)))
  await fleet.pool.query(`update room_events set link_preview = $3 where room_id = $1 and seq = ${seq}`, [
    ...[roomId, eventId, bytes],
  ])
}

/** Removes the text of a message, as if only files had been posted. */
export async function removeText(fleet: Fleet, roomId: string, eventId: string): Promise<void> {
  await fleet.pool.query(`update room_events set body = '' where room_id = $1 and event_id = $2`, [roomId, eventId])
}
