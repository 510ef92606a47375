import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { Work } from '../domain/work.ts'

export { erasures, inbox, outbox, outboxLeases, outboxPlaces, parkedEvents } from '@parley/events/schema'
export { pushJobs, pushSubscriptions } from './push-schema.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3 })

/** No row means the default. The level of the whole server has an empty room id. */
export const notificationLevels = pgTable(
  'notification_levels',
  {
    userId: text('user_id').notNull(),
    roomId: text('room_id').notNull(),
    level: text({ enum: ['muted', 'normal', 'all_messages'] }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.roomId] }),
    index('notification_levels_all_messages')
      .on(t.roomId, t.userId)
      .where(sql`level = 'all_messages'`),
  ],
)

/** The row is locked while an event of the aggregate `preference` is written. */
export const preferences = pgTable('preferences', {
  userId: text('user_id').primaryKey(),
  version: bigint({ mode: 'bigint' }).notNull(),
})

/** Dismissed rows stay for days, so that redelivered events create no duplicates. */
export const notifications = pgTable(
  'notifications',
  {
    /** Derived from the message and the user, so that it is the same at each attempt. */
    id: text().primaryKey(),
    userId: text('user_id').notNull(),
    roomId: text('room_id').notNull(),
    /** The message; for a channel echo, the reply that it shows. */
    messageId: text('message_id').notNull(),
    /** Id of the message's row in the room: the message or the echo. */
    eventId: text('event_id').notNull(),
    kind: text({ enum: ['direct_message', 'mention', 'reply', 'room_message'] }).notNull(),
    actorId: text('actor_id').notNull(),
    threadRootEventId: text('thread_root_event_id').notNull(),
    inReplyTo: text('in_reply_to').notNull(),
    roomSeq: bigint('room_seq', { mode: 'bigint' }).notNull(),
    /** The user had the status do-not-disturb when the notification was created. */
    silent: boolean().notNull(),
    createdAt: instant('created_at').notNull(),
    dismissedAt: instant('dismissed_at'),
  },
  (t) => [
    uniqueIndex('notifications_by_message').on(t.messageId, t.userId),
    index('notifications_of_echoes')
      .on(t.eventId)
      .where(sql`event_id <> message_id`),
    index('notifications_of_user').on(t.userId, t.createdAt, t.id),
    index('notifications_pending_in_room')
      .on(t.userId, t.roomId, t.createdAt, t.id)
      .where(sql`dismissed_at is null`),
    index('notifications_pending_by_actor')
      .on(t.actorId)
      .where(sql`dismissed_at is null`),
    index('notifications_by_age').on(t.createdAt),
    index('notifications_dismissed')
      .on(t.dismissedAt)
      .where(sql`dismissed_at is not null`),
  ],
)

/**
 * Versions of the aggregates `notification.<shard>`. A transaction that writes notifications or markers of a shard's
 * users locks the row of the shard before it reads.
 */
export const notificationShards = pgTable('notification_shards', {
  shard: integer().primaryKey(),
  version: bigint({ mode: 'bigint' }).notNull(),
})

export const readMarkers = pgTable(
  'read_markers',
  {
    userId: text('user_id').notNull(),
    roomId: text('room_id').notNull(),
    threadRootEventId: text('thread_root_event_id').notNull(),
    roomSeq: bigint('room_seq', { mode: 'bigint' }).notNull(),
    movedAt: instant('moved_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.roomId, t.threadRootEventId] }),
    index('read_markers_by_age').on(t.movedAt),
  ],
)

/** Recent losses of access to rooms, with their places in the logs. The users are not notified of earlier messages. */
export const departures = pgTable(
  'departures',
  {
    userId: text('user_id').notNull(),
    roomId: text('room_id').notNull(),
    roomSeq: bigint('room_seq', { mode: 'bigint' }).notNull(),
    leftAt: instant('left_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.roomId] }), index('departures_by_age').on(t.leftAt)],
)

/** Tombstones of retracted messages and echoes: nobody is notified of them. Kept while their events may arrive. */
export const retractions = pgTable(
  'retractions',
  {
    eventId: text('event_id').primaryKey(),
    retractedAt: instant('retracted_at').notNull(),
  },
  (t) => [index('retractions_by_age').on(t.retractedAt)],
)

export const notificationJobs = pgTable(
  'notification_jobs',
  {
    id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    work: jsonb().$type<Work>().notNull(),
    /** The last user of the audience who was handled; empty at the start. */
    after: text().notNull().default(''),
    /** When the next step is due; while it is leased, when the lease ends. */
    dueAt: instant('due_at').notNull(),
    fence: integer().notNull().default(0),
    attempts: integer('failures').notNull().default(0),
  },
  (t) => [index('notification_jobs_due').on(t.dueAt)],
)
