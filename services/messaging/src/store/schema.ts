import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  index,
  integer,
  pgEnum,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'

export { erasures, inbox, outbox, outboxLeases, outboxPlaces, parkedEvents } from '@parley/events/schema'

const bytea = customType<{ data: Uint8Array; driverData: Buffer }>({ dataType: () => 'bytea' })
const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3 })
const place = (name: string) => bigint(name, { mode: 'bigint' })

export const roomKind = pgEnum('room_kind', ['channel', 'dm'])

/** The line of a room: where it stands, what the room is, and its last root message. Its row lock orders the room. */
export const roomLines = pgTable(
  'room_lines',
  {
    roomId: text('room_id').primaryKey(),
    /** Version of the last fact applied; every fact raises it. */
    version: place('version').notNull(),
    /** The last place taken. */
    roomSeq: place('room_seq').notNull(),
    /** Outbox entry of the last fact. */
    factEntry: place('fact_entry').notNull(),
    kind: roomKind('kind').notNull(),
    groupId: text('group_id').notNull(),
    universal: boolean('universal').notNull(),
    archived: boolean('archived').notNull(),
    name: text('name').notNull(),
    /** Participants of a direct message. */
    participantIds: text('participant_ids').array().notNull(),
    lastMessageSeq: place('last_message_seq'),
    lastMessageAt: instant('last_message_at'),
  },
  (table) => [
    index('room_lines_universal')
      .on(table.roomId)
      .where(sql`${table.universal}`),
  ],
)

/** Explicit members; a former member keeps a row that says so. */
export const lineMembers = pgTable(
  'line_members',
  {
    roomId: text('room_id').notNull(),
    userId: text('user_id').notNull(),
    member: boolean('member').notNull(),
    version: place('version').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.roomId, table.userId] }),
    index('line_members_user')
      .on(table.userId)
      .where(sql`${table.member}`),
  ],
)

/** Bans; a lifted one keeps a row that says so. */
export const lineBans = pgTable(
  'line_bans',
  {
    roomId: text('room_id').notNull(),
    userId: text('user_id').notNull(),
    banned: boolean('banned').notNull(),
    expiresAt: instant('expires_at'),
    version: place('version').notNull(),
  },
  (table) => [primaryKey({ columns: [table.roomId, table.userId] })],
)

export const roomEventKind = pgEnum('room_event_kind', [
  'message_posted',
  'room_created',
  'room_updated',
  'room_archived',
  'room_unarchived',
  'user_joined_room',
  'user_left_room',
])

/** Rows of timelines and threads. A channel echo holds no text of its own: it shows the reply it names. */
export const roomEvents = pgTable(
  'room_events',
  {
    roomId: text('room_id').notNull(),
    seq: place('seq').notNull(),
    eventId: text('event_id').notNull(),
    kind: roomEventKind('kind').notNull(),
    /** Whether the row stands in the room's timeline; replies stand in their thread alone. */
    inTimeline: boolean('in_timeline').notNull(),
    /** Author, or who joined or left; empty for the system. */
    actorId: text('actor_id').notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at'),
    deletedAt: instant('deleted_at'),
    body: text('body'),
    inReplyTo: text('in_reply_to'),
    threadRootEventId: text('thread_root_event_id'),
    /** Of a channel echo: the reply it shows and the root of that reply's thread. */
    echoOfEventId: text('echo_of_event_id'),
    echoFromThreadRootEventId: text('echo_from_thread_root_event_id'),
    /** Of a reply: its channel echo. */
    channelEchoEventId: text('channel_echo_event_id'),
  },
  (table) => [
    primaryKey({ columns: [table.roomId, table.seq] }),
    uniqueIndex('room_events_event').on(table.roomId, table.eventId),
    index('room_events_author')
      .on(table.actorId)
      .where(sql`${table.kind} = 'message_posted' and ${table.deletedAt} is null`),
    index('room_events_timeline')
      .on(table.roomId, table.seq)
      .where(sql`${table.inTimeline}`),
  ],
)

/** Threads with at least one reply. */
export const threads = pgTable(
  'threads',
  {
    roomId: text('room_id').notNull(),
    rootEventId: text('root_event_id').notNull(),
    replyCount: integer('reply_count').notNull(),
    lastReplyAt: instant('last_reply_at').notNull(),
    /** The first 50 who replied, in the order of their first reply. */
    participantIds: text('participant_ids').array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.roomId, table.rootEventId] })],
)

/** Who follows a thread; `following` false is a decision against following by others' actions. */
export const threadFollows = pgTable(
  'thread_follows',
  {
    roomId: text('room_id').notNull(),
    rootEventId: text('root_event_id').notNull(),
    userId: text('user_id').notNull(),
    following: boolean('following').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.roomId, table.rootEventId, table.userId] }),
    index('thread_follows_user').on(table.userId),
  ],
)

/** How far each user has read each room; only moves forward. */
export const roomMarkers = pgTable(
  'room_markers',
  {
    roomId: text('room_id').notNull(),
    userId: text('user_id').notNull(),
    seq: place('seq').notNull(),
    readAt: instant('read_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.roomId, table.userId] }), index('room_markers_user').on(table.userId)],
)

/** Idempotency keys of posts of the last 24 hours. By caller, not by room: one key names one request. */
export const messageKeys = pgTable(
  'message_keys',
  {
    callerId: text('caller_id').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of the request. */
    digest: bytea('digest').notNull(),
    roomId: text('room_id').notNull(),
    eventId: text('event_id').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.callerId, table.key] }),
    index('message_keys_created').using('brin', table.createdAt),
  ],
)
