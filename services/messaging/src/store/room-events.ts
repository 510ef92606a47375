import { VideoStateSchema, type RoomEvent, type VideoState } from '@parley/contracts/internal'
import { encode } from '@parley/protobuf'
import type { RoomLog } from '../domain/room-header.ts'
import { headerColumns, toHeader, type HeaderRow } from './rooms.ts'
import { statement, type Connection } from './statement.ts'

export type SourceAggregate = Pick<RoomEvent, 'aggregateType' | 'aggregateId'>
/** The newest version, and the most recent ones as decimal strings, oldest first. */
export type HeldVersions = SourceAggregate & { version: bigint; recent: string[] }

/** Enough to recognize every duplicate: events of a room are handed over in order, fifty at a time. */
const maxRecentVersions = 100

const readLog = statement<HeaderRow & { roomSeq: bigint }>(
  'read_log',
  `select ${headerColumns}, l.room_seq as "roomSeq" from room_lines l where l.room_id = $1 and l.version > 0`,
)

const readVersions = statement<HeldVersions>(
  'read_room_event_versions',
  `select v.aggregate_type as "aggregateType", v.aggregate_id as "aggregateId", v.version, v.recent_versions::text[] as recent
from unnest($2::text[], $3::text[]) as requested (aggregate_type, aggregate_id)
join room_event_versions v using (aggregate_type, aggregate_id)
where v.room_id = $1`,
)

const upsertVersions = statement(
  'store_room_event_versions',
  `insert into room_event_versions (room_id, aggregate_type, aggregate_id, version, recent_versions, heard_at)
select $1, type, id, version, recent::bigint[], now()
from unnest($2::text[], $3::text[], $4::bigint[], $5::text[]) as received (type, id, version, recent)
on conflict (room_id, aggregate_type, aggregate_id) do update
set version = excluded.version, recent_versions = excluded.recent_versions, heard_at = excluded.heard_at`,
)

const updateVideoStates = statement(
  'store_video_states',
  `update message_attachments a set video = changed.video
from unnest($2::text[], $3::bytea[]) as changed (asset_id, video)
where a.room_id = $1 and a.asset_id = changed.asset_id and (changed.video <> $4 or a.video is null)`,
)

const drop = statement<{ dropped: number }>(
  'drop_room_event_versions',
  `with gone as (
  delete from room_event_versions where ctid = any (array(
    select ctid from room_event_versions where heard_at < now() - interval '3 days' limit $1::integer
  ))
  returning 1
) select count(*)::integer as dropped from gone`,
)

export async function findLog(on: Connection, roomId: string): Promise<RoomLog | undefined> {
  const [row] = await readLog.run(on, [roomId])
  return row && { ...toHeader(row), roomSeq: row.roomSeq }
}

export function findHeldVersions(
  on: Connection,
  roomId: string,
  sources: readonly SourceAggregate[],
): Promise<HeldVersions[]> {
  return readVersions.run(on, [roomId, ...columnsOf(sources)])
}

/** No aggregate may occur twice. */
export async function storeHeldVersions(
  on: Connection,
  roomId: string,
  versions: readonly HeldVersions[],
): Promise<void> {
  const recent = versions.map((one) => `{${one.recent.slice(-maxRecentVersions).join()}}`)
  await upsertVersions.run(on, [roomId, ...columnsOf(versions), versions.map(({ version }) => version), recent])
}

const columnsOf = (sources: readonly SourceAggregate[]) => [
  sources.map(({ aggregateType }) => aggregateType),
  sources.map(({ aggregateId }) => aggregateId),
]

const processing = Buffer.from(encode(VideoStateSchema, { status: 'processing' }))

/**
 * `videos`: states by asset. `processing` does not replace another state, because a replayed event may report the start
 * of processing long after its end.
 */
export async function storeVideoStates(on: Connection, roomId: string, videos: ReadonlyMap<string, VideoState>) {
  if (videos.size === 0) return
  const states = [...videos.values()].map((video) => Buffer.from(encode(VideoStateSchema, video)))
  await updateVideoStates.run(on, [roomId, [...videos.keys()], states, processing])
}

export async function dropOldVersions(on: Connection, limit: number): Promise<number> {
  return (await drop.run(on, [limit]))[0]?.dropped ?? 0
}
