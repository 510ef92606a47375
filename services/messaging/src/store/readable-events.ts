import type { EventRow } from '../domain/event-row.ts'
import { attachmentBytes, pageBytes, tallyBytes, withSize } from '../domain/page-bytes.ts'
import type { RoomHeader, Standing } from '../domain/room-header.ts'
import { roomKinds, standingColumns, standingJoins, type HeaderRow } from './rooms.ts'
import { statement, type Connection } from './statement.ts'

export type Access = {
  room: Pick<RoomHeader, 'roomId' | 'kind' | 'groupId' | 'universal'>
  standing: Standing
}

/** Oldest first; access and events from one snapshot. */
export type EventsWithAccess = { access: Access; events: EventRow[] }

export type AccessRow = Pick<HeaderRow, 'groupId' | 'universal'> & { roomKind: HeaderRow['kind'] } & Standing

type ReadableRow = AccessRow & (Omit<EventRow, 'bytes'> | { eventId: null })

const shownSeq = 'coalesce(o.seq, e.seq)'

const attachments = `(
    select json_agg(json_build_object(
      'assetId', a.asset_id, 'filename', a.filename, 'contentType', a.content_type, 'width', a.width, 'height', a.height,
      'video', encode(a.video, 'base64')
    ) order by a.position)
    from message_attachments a where a.room_id = l.room_id and a.seq = ${shownSeq} and e.kind = 'message_posted'
  )`

const reactions = `(
    select json_agg(json_build_object(
      'emoji', c.emoji, 'count', c.count, 'firstUserIds', c.first_user_ids, 'mine', exists (
        select from reactions r
        where r.room_id = c.room_id and r.seq = c.seq and r.emoji = c.emoji and r.user_id = $2
      )
    ) order by c.since)
    from reaction_tallies c where c.room_id = l.room_id and c.seq = ${shownSeq} and e.kind = 'message_posted'
  )`

/** SQL, from `room_lines l` and `standingJoins`. */
export const accessColumns = `l.kind as "roomKind", l.group_id as "groupId", l.universal, ${standingColumns}`

const columnsWith = (
  attachments: string,
  reactions: string,
): string => `e.seq, e.event_id as "eventId", e.kind, e.actor_id as "actorId", e.created_at as "createdAt",
  coalesce(o.updated_at, e.updated_at) as "updatedAt", coalesce(e.deleted_at, o.deleted_at) as "deletedAt",
  coalesce(o.body, e.body) as body, coalesce(o.link_preview, e.link_preview) as "linkPreview",
  ${attachments} as attachments, ${reactions} as reactions, coalesce(o.in_reply_to, e.in_reply_to) as "inReplyTo", e.thread_root_event_id as "threadRootEventId",
  e.echo_of_event_id as "echoOfEventId", e.echo_from_thread_root_event_id as "echoFromThreadRootEventId",
  e.channel_echo_event_id as "channelEchoEventId", t.reply_count as "replyCount", t.last_reply_at as "lastReplyAt",
  t.participant_ids as "participantIds", f.following as "isFollowing"`

/** SQL for an EventRow, from `room_lines l`, `room_events e` and `eventJoins`. */
export const eventColumns = columnsWith(attachments, reactions)

/** The same for rows of `withinPage`. Their counts show whether there are attachments or reactions to look up. */
const pageColumns = columnsWith(
  `case when e.file_count > 0 then ${attachments} end`,
  `case when e.tally_count > 0 then ${reactions} end`,
)

/**
 * SQL: joins the content that reader $2 sees. The limits make PostgreSQL look up the joined rows one by one; without
 * them, a generic plan would read the whole room, because it does not know the page's length.
 */
export const eventJoins = `
left join lateral (
  select * from room_events where room_id = l.room_id and event_id = e.echo_of_event_id limit 1
) o on true
left join lateral (select * from threads where room_id = l.room_id and root_event_id = e.event_id limit 1) t on true
left join lateral (
  select * from thread_follows where room_id = l.room_id and root_event_id = e.event_id and user_id = $2 limit 1
) f on true`

const countOf = (table: string): string =>
  `(select count(*) from ${table} t where t.room_id = r.room_id and t.seq = coalesce(o.seq, r.seq))::integer`
const textBytes = `coalesce(octet_length(coalesce(o.body, r.body)), 0)
    + coalesce(octet_length(coalesce(o.link_preview, r.link_preview)), 0)`
/** SQL; must equal what `withSize` computes. */
const bytesShown = `text_bytes + ${attachmentBytes} * file_count + ${tallyBytes} * tally_count`

/**
 * SQL: the rows that fit on a page, in this order, and the first that does not. Sizes are computed without reading the
 * content. `offset 0` keeps PostgreSQL from computing the counts twice.
 */
export const withinPage = (order: 'seq' | 'seq desc', rows: string): string => `select * from (
    select *, sum(${bytesShown}) over (order by ${order} rows between unbounded preceding and 1 preceding) as bytes_before
    from (
      select r.*, ${textBytes} as text_bytes,
        ${countOf('message_attachments')} as file_count, ${countOf('reaction_tallies')} as tally_count
      from (${rows}) r
      left join lateral (
        select seq, body, link_preview from room_events
        where room_id = r.room_id and event_id = r.echo_of_event_id limit 1
      ) o on true
      offset 0
    ) r
  ) r where bytes_before is null or bytes_before <= ${pageBytes}`

/**
 * Reads the room and the reader's standing with the rows of `source`, a query on room_events. $1 is the room, $2 the
 * reader; further parameters belong to `source`.
 */
export function defineEventQuery(name: string, source: string, columns = eventColumns) {
  const { text, run } = statement<ReadableRow>(
    name,
    `select ${accessColumns}, ${columns}
from room_lines l${standingJoins('$2')}
left join lateral (${source}) e on true${eventJoins}
where l.room_id = $1
order by e.seq`,
  )
  return {
    text,
    run: async (on: Connection, values: readonly [roomId: string, userId: string, ...unknown[]]) =>
      toEventsWithAccess(values[0], await run(on, values)),
  }
}

/** `source` has the counts of {@link withinPage}. */
export const definePageQuery = (name: string, source: string) => defineEventQuery(name, source, pageColumns)

function toEventsWithAccess(roomId: string, rows: ReadableRow[]): EventsWithAccess | undefined {
  const [first] = rows
  if (!first) return undefined
  return {
    access: toAccess(roomId, first),
    events: rows.flatMap((row) => (row.eventId === null ? [] : withSize(row))),
  }
}

export function toAccess(roomId: string, { roomKind, groupId, universal, member, banned }: AccessRow): Access {
  return { room: { roomId, kind: roomKinds[roomKind], groupId, universal }, standing: { member, banned } }
}
