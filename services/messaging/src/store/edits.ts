import { statement, type Connection } from './statement.ts'

/** A message by its room and place. */
export type Placed = { roomId: string; seq: bigint }

const body = statement('edit_body', 'update room_events set body = $3, updated_at = $4 where room_id = $1 and seq = $2')

const preview = statement(
  'drop_link_preview',
  'update room_events set link_preview = null, updated_at = $3 where room_id = $1 and seq = $2',
)

const attachment = statement(
  'drop_attachment',
  `with dropped as (delete from message_attachments where room_id = $1 and seq = $2 and asset_id = $3)
update room_events set updated_at = $4 where room_id = $1 and seq = $2`,
)

export async function storeBody(on: Connection, { roomId, seq }: Placed, text: string, at: Date): Promise<void> {
  await body.run(on, [roomId, seq, text, at])
}

export async function dropLinkPreview(on: Connection, { roomId, seq }: Placed, at: Date): Promise<void> {
  await preview.run(on, [roomId, seq, at])
}

export async function dropAttachment(on: Connection, { roomId, seq }: Placed, id: string, at: Date): Promise<void> {
  await attachment.run(on, [roomId, seq, id, at])
}
