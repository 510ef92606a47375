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
  smallint,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { NotificationLevel } from '@parley/contracts/api'

export { erasures, inbox, outbox, outboxLeases, outboxPlaces, parkedEvents } from '@parley/events/schema'

const bytea = customType<{ data: Uint8Array; driverData: Buffer }>({ dataType: () => 'bytea' })
const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3 })
const place = (name: string) => bigint(name, { mode: 'bigint' })

export const processingVideo = String.raw`'\x0a0a70726f63657373696e67'::bytea`

export const roomKind = pgEnum('room_kind', ['channel', 'dm'])

/** Changes of a room lock its row, so that they run one after the other. */
export const roomLines = pgTable(
  'room_lines',
  {
    roomId: text('room_id').primaryKey(),
    version: place('version').notNull(),
    roomSeq: place('room_seq').notNull(),
    factEntry: place('fact_entry').notNull(),
    /** Event id of the last applied fact; empty if an earlier release applied it. */
    factId: text('fact_id').notNull().default(''),
    kind: roomKind('kind').notNull(),
    groupId: text('group_id').notNull(),
    universal: boolean('universal').notNull(),
    archived: boolean('archived').notNull(),
    name: text('name').notNull(),
    participantIds: text('participant_ids').array().notNull(),
    /** Place of the last root message or echo that is not retracted. */
    lastMessageSeq: place('last_message_seq'),
    /** Time of the newest root message or echo, even if it was retracted since. */
    lastMessageAt: instant('last_message_at'),
  },
  (table) => [
    index('room_lines_universal')
      .on(table.roomId)
      .where(sql`${table.universal}`),
  ],
)

/** Explicit members. Rows of former members stay, with `member` false. */
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

/** Rows of lifted and expired bans stay, with `banned` false. */
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

/** An echo has no content of its own: it shows that of its reply. */
export const roomEvents = pgTable(
  'room_events',
  {
    roomId: text('room_id').notNull(),
    seq: place('seq').notNull(),
    eventId: text('event_id').notNull(),
    kind: roomEventKind('kind').notNull(),
    /** False for replies, which are only in their threads, and for removed echoes. */
    inTimeline: boolean('in_timeline').notNull(),
    actorId: text('actor_id').notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at'),
    deletedAt: instant('deleted_at'),
    body: text('body'),
    inReplyTo: text('in_reply_to'),
    threadRootEventId: text('thread_root_event_id'),
    echoOfEventId: text('echo_of_event_id'),
    echoFromThreadRootEventId: text('echo_from_thread_root_event_id'),
    channelEchoEventId: text('channel_echo_event_id'),
    linkPreview: bytea('link_preview'),
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
    index('room_events_thread')
      .on(table.roomId, table.threadRootEventId, table.seq)
      .where(sql`${table.threadRootEventId} is not null`),
    // Finds the message with a preview image: the encoding ends with tag, length and key of the image.
    index('room_events_preview_image')
      .on(sql`substring(${table.linkPreview} from octet_length(${table.linkPreview}) - 16)`)
      .where(sql`${table.linkPreview} is not null`),
    index('room_events_thread_author')
      .on(table.roomId, table.threadRootEventId, table.actorId)
      .where(sql`${table.threadRootEventId} is not null and ${table.deletedAt} is null`),
  ],
)

export const messageAttachments = pgTable(
  'message_attachments',
  {
    roomId: text('room_id').notNull(),
    seq: place('seq').notNull(),
    position: smallint('position').notNull(),
    assetId: text('asset_id').notNull(),
    filename: text('filename').notNull(),
    contentType: text('content_type').notNull(),
    size: place('size').notNull(),
    width: integer('width').notNull(),
    height: integer('height').notNull(),
    /** Encoded svc.internal.v1.VideoState, as last reported by uploads. */
    video: bytea('video'),
  },
  (table) => [
    primaryKey({ columns: [table.roomId, table.seq, table.position] }),
    uniqueIndex('message_attachments_asset').on(table.assetId),
    index('message_attachments_processing')
      .on(table.assetId)
      .where(sql`${table.video} = ${sql.raw(processingVideo)}`),
  ],
)

export const reactions = pgTable(
  'reactions',
  {
    roomId: text('room_id').notNull(),
    seq: place('seq').notNull(),
    emoji: text('emoji').notNull(),
    userId: text('user_id').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.roomId, table.seq, table.emoji, table.userId] }),
    index('reactions_user').on(table.userId),
  ],
)

/**
 * The reactions to a message with one emoji, at least one. They are counted when they change, so that reads need not
 * count.
 */
export const reactionTallies = pgTable(
  'reaction_tallies',
  {
    roomId: text('room_id').notNull(),
    seq: place('seq').notNull(),
    emoji: text('emoji').notNull(),
    count: integer('count').notNull(),
    firstUserIds: text('first_user_ids').array().notNull(),
    /** Place of the first reaction; orders the emojis. */
    since: place('since').notNull(),
  },
  (table) => [primaryKey({ columns: [table.roomId, table.seq, table.emoji] })],
)

export const threads = pgTable(
  'threads',
  {
    roomId: text('room_id').notNull(),
    rootEventId: text('root_event_id').notNull(),
    /** This and the next columns ignore retracted replies. */
    replyCount: integer('reply_count').notNull(),
    lastReplyAt: instant('last_reply_at'),
    lastReplySeq: place('last_reply_seq'),
    participantIds: text('participant_ids').array().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.roomId, table.rootEventId] }),
    index('threads_last_reply').on(table.roomId, table.lastReplySeq),
  ],
)

/** `following` false: the user unfollowed; actions of others do not change that. */
export const threadFollows = pgTable(
  'thread_follows',
  {
    roomId: text('room_id').notNull(),
    rootEventId: text('root_event_id').notNull(),
    userId: text('user_id').notNull(),
    following: boolean('following').notNull(),
    /** See `threadWatermarks`. Only `settle_follows` changes it. */
    settled: boolean('settled').notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.roomId, table.rootEventId, table.userId] }),
    index('thread_follows_user_settled').on(table.userId, table.settled),
  ],
)

/**
 * With watermarks, unread threads are found without visiting each. The invariant: in a settled thread, every shown reply
 * up to the watermark is read. A settled thread is therefore unread only if its last reply comes after the watermark.
 * Nothing in a room breaks the invariant: new replies get higher places, markers only move forward, retractions only
 * remove replies, and new follows are not settled.
 */
export const threadWatermarks = pgTable(
  'thread_watermarks',
  {
    userId: text('user_id').notNull(),
    roomId: text('room_id').notNull(),
    seq: place('seq').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.roomId] })],
)

export const threadMarkers = pgTable(
  'thread_markers',
  {
    roomId: text('room_id').notNull(),
    rootEventId: text('root_event_id').notNull(),
    userId: text('user_id').notNull(),
    seq: place('seq').notNull(),
    readAt: instant('read_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.roomId, table.rootEventId, table.userId] }),
    index('thread_markers_user').on(table.userId),
  ],
)

export const readers = pgTable('readers', {
  userId: text('user_id').primaryKey(),
  version: place('version').notNull(),
})

export const unresolvedMentions = pgTable(
  'unresolved_mentions',
  {
    roomId: text('room_id').notNull(),
    seq: place('seq').notNull(),
    createdAt: instant('created_at').notNull(),
    dueAt: instant('due_at')
      .notNull()
      .default(sql`now()`),
    fence: integer().notNull().default(0),
    attempts: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.roomId, table.seq] }), index('unresolved_mentions_age').on(table.createdAt)],
)

/** Tokens with which users post the link previews that were shown to them. */
export const linkPreviewTokens = pgTable(
  'link_preview_tokens',
  {
    digest: bytea('digest').primaryKey(),
    userId: text('user_id').notNull(),
    preview: bytea('preview').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    index('link_preview_tokens_expiry').on(table.expiresAt),
    index('link_preview_tokens_user').on(table.userId),
  ],
)

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

/** Versions of calls and assets with events in a room; deleted three days after the last event. */
export const roomEventVersions = pgTable(
  'room_event_versions',
  {
    roomId: text('room_id').notNull(),
    aggregateType: text('aggregate_type').notNull(),
    aggregateId: text('aggregate_id').notNull(),
    version: place('version').notNull(),
    /** Ends with `version`; empty if an earlier release wrote the row. */
    recentVersions: place('recent_versions').array().notNull().default([]),
    heardAt: instant('heard_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.roomId, table.aggregateType, table.aggregateId] }),
    index('room_event_versions_heard').on(table.heardAt),
  ],
)

/** The level with an empty room id is that of the server. It applies to rooms without a level of their own. */
export const notificationLevels = pgTable(
  'notification_levels',
  {
    userId: text('user_id').notNull(),
    roomId: text('room_id').notNull(),
    /** A cleared level is DEFAULT, because late events are compared with its version. */
    level: smallint('level').$type<NotificationLevel>().notNull(),
    /** Version of the user's aggregate `preference`. */
    version: place('version').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.roomId] })],
)

/** Idempotency keys of posts, valid for 24 hours. A key belongs to its caller, not to a room. */
export const messageKeys = pgTable(
  'message_keys',
  {
    callerId: text('caller_id').notNull(),
    key: text('key').notNull(),
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

export const imports = pgTable('imports', {
  roomId: text('room_id').primaryKey(),
  source: text('source').notNull(),
  messages: place('messages').notNull(),
  through: instant('through').notNull(),
  lastSeq: place('last_seq').notNull(),
  /**
   * Messages that users posted between the calls of the import have places above this one, up to `liveTo`. Null if there
   * are none.
   */
  liveFrom: place('live_from'),
  liveTo: place('live_to'),
})

/** Imported messages by their ids at the source, to recognise repeated messages and find the roots of replies. */
export const importedMessages = pgTable(
  'imported_messages',
  {
    roomId: text('room_id').notNull(),
    externalId: text('external_id').notNull(),
    eventId: text('event_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.roomId, table.externalId] })],
)
