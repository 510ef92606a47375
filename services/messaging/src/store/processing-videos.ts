import { processingVideo } from './schema.ts'
import { statement, type Connection } from './statement.ts'

const find = statement<{ assetId: string }>(
  'find_processing_videos',
  `select a.asset_id as "assetId" from message_attachments a
join room_events e on e.room_id = a.room_id and e.seq = a.seq
where a.video = ${processingVideo} and a.asset_id > $1 and e.created_at < now() - interval '5 minutes'
order by a.asset_id limit $2`,
)

export async function findProcessingVideos(on: Connection, after: string, limit: number): Promise<string[]> {
  return (await find.run(on, [after, limit])).map(({ assetId }) => assetId)
}
