import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core'

const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })

/**
 * Events that wait for the stream, were stored there less than an hour ago, or are not acknowledged by every durable.
 */
export const outbox = pgTable(
  'outbox',
  {
    /** Assigned under the lock of the aggregate's row, so that ids of one aggregate ascend in commit order. */
    id: bigserial('id', { mode: 'bigint' }).primaryKey(),
    shard: integer('shard').notNull(),
    /** `<type>.<id>`. */
    aggregate: text('aggregate').notNull(),
    subject: text('subject').notNull(),
    eventId: text('event_id').notNull(),
    /** Encoded svc.internal.v1.Event. */
    payload: bytea('payload').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    relayedAt: timestamp('relayed_at', { withTimezone: true }),
    streamSeq: bigint('stream_seq', { mode: 'bigint' }),
  },
  (table) => [
    index('outbox_waiting')
      .on(table.id)
      .where(sql`relayed_at is null`),
    index('outbox_relayed')
      .on(table.relayedAt)
      .where(sql`relayed_at is not null`),
  ],
)

/** Holders of shard leases (`shard-<n>`) and live relays (`relay-<holder>`). */
export const outboxLeases = pgTable('outbox_leases', {
  name: text('name').primaryKey(),
  holder: text('holder').notNull(),
  /** Fencing token, incremented for each new holder; an earlier holder can no longer mark entries. */
  fence: bigint('fence', { mode: 'bigint' }).notNull(),
  expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
})

export const outboxPlaces = pgTable('outbox_places', {
  shard: integer('shard').primaryKey(),
  /**
   * Number of stream losses found. Part of the ids under which entries are published, so that the stream does not drop
   * entries relayed again as duplicates.
   */
  generation: integer('generation').notNull().default(0),
  streamSeq: bigint('stream_seq', { mode: 'bigint' }),
  eventId: text('event_id'),
  relayedAt: timestamp('relayed_at', { withTimezone: true }),
})

/** One row: the losses of the stream, recorded by its keeper in admin. */
export const streamRecovery = pgTable('stream_recovery', {
  id: integer('id').primaryKey(),
  generation: integer('generation').notNull().default(0),
  recoveredAt: timestamp('recovered_at', { withTimezone: true }),
  /** The state of the stream at the last recovery: its creation time and its newest event. */
  streamCreated: text('stream_created').notNull().default(''),
  newestSeq: bigint('newest_seq', { mode: 'bigint' }),
  newestEventId: text('newest_event_id'),
  lostEvents: bigint('lost_events', { mode: 'bigint' })
    .notNull()
    .default(sql`0`),
})

/** Events that a consumer has handled; kept longer than the stream keeps events. */
export const inbox = pgTable(
  'inbox',
  {
    consumer: text('consumer').notNull(),
    eventId: text('event_id').notNull(),
    receivedAt: timestamp('received_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.consumer, table.eventId] }), index('inbox_received').on(table.receivedAt)],
)

/**
 * Events that a consumer failed on, or that the stream or messaging refused. They are parked once `parked_at` is set.
 */
export const parkedEvents = pgTable(
  'parked_events',
  {
    /**
     * Durable name of the consumer. `relay`: the stream refused the event. `handover`: messaging refused it. `jobs`: a
     * job of the service itself.
     */
    consumer: text('consumer').notNull(),
    eventId: text('event_id').notNull(),
    subject: text('subject').notNull(),
    /** An encoded svc.internal.v1.Event; for `handover` a RoomEvent without its envelope; for `jobs` JSON. */
    payload: bytea('payload').notNull(),
    attempts: integer('attempts').notNull(),
    lastError: text('last_error').notNull(),
    firstFailedAt: timestamp('first_failed_at', { withTimezone: true }).notNull().defaultNow(),
    parkedAt: timestamp('parked_at', { withTimezone: true }),
    replayRequestedAt: timestamp('replay_requested_at', { withTimezone: true }),
  },
  (table) => [primaryKey({ columns: [table.consumer, table.eventId] })],
)

/** Passes of the erasure of deleted accounts. Rows are kept forever: nothing may be written for these users again. */
export const erasures = pgTable(
  'erasures',
  {
    userId: text('user_id').notNull(),
    pass: integer('pass').notNull(),
    requestedAt: timestamp('requested_at', { withTimezone: true }).notNull().defaultNow(),
    found: bigint('found', { mode: 'bigint' })
      .notNull()
      .default(sql`0`),
    reportedAt: timestamp('reported_at', { withTimezone: true }),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.pass] }),
    index('erasures_waiting')
      .on(table.requestedAt)
      .where(sql`reported_at is null`),
  ],
)

export const handovers = pgTable(
  'handovers',
  {
    /** Assigned under the lock of the aggregate's row, so that ids of one aggregate ascend in commit order. */
    id: bigserial('id', { mode: 'bigint' }).primaryKey(),
    roomId: text('room_id').notNull(),
    payload: bytea('payload').notNull(),
    refusals: integer('refusals').notNull().default(0),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [index('handovers_room').on(table.roomId, table.id)],
)

export const handoverLeases = pgTable('handover_leases', {
  roomId: text('room_id').primaryKey(),
  holder: text('holder').notNull(),
  failures: integer('failures').notNull().default(0),
  expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
})
