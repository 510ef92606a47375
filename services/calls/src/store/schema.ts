import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  boolean,
  check,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'

export {
  erasures,
  handoverLeases,
  handovers,
  inbox,
  outbox,
  outboxLeases,
  outboxPlaces,
  parkedEvents,
} from '@parley/events/schema'
export { idempotentCalls } from '@parley/service/schema'

const bytea = customType<{ data: Uint8Array; driverData: Buffer }>({ dataType: () => 'bytea' })
const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

export const calls = pgTable(
  'calls',
  {
    id: text().primaryKey(),
    roomId: text('room_id').notNull(),
    dm: boolean().notNull(),
    version: bigint({ mode: 'bigint' }).notNull(),
    /** Everyone in the call has this key; deleted when the call ends. */
    e2eeKey: bytea('e2ee_key'),
    startedAt: instant('started_at').notNull(),
    endedAt: instant('ended_at'),
    closedMediaRooms: text('closed_media_rooms').array().notNull(),
  },
  (t) => [
    uniqueIndex('calls_active')
      .on(t.roomId)
      .where(sql`ended_at is null`),
    index('calls_ended')
      .on(t.endedAt)
      .where(sql`ended_at is not null`),
    check('calls_key_is_dropped', sql`(${t.endedAt} is null) = (${t.e2eeKey} is not null)`),
  ],
)

/** Current and former participants, and people known only from the media server. */
export const callParticipants = pgTable(
  'call_participants',
  {
    callId: text('call_id')
      .notNull()
      .references(() => calls.id, { onDelete: 'cascade' }),
    userId: text('user_id').notNull(),
    joinedAt: instant('joined_at').notNull(),
    /** Null while the user is in the call. */
    leftAt: instant('left_at'),
    source: text().$type<'user' | 'livekit' | 'reconciliation'>().notNull(),
    /**
     * Time of the last JoinCall, while the user has neither connected to the media server since nor left; otherwise
     * null.
     */
    awaitedSince: instant('awaited_since'),
    /**
     * Sid of the newest known connection to the media server. If it is empty, the user has none, and reports about
     * connections before `connectedAt` are ignored.
     */
    connectionSid: text('connection_sid').notNull(),
    mediaRoomSid: text('media_room_sid').notNull(),
    /** Milliseconds since 1970, by the clock of the media server. */
    connectedAt: bigint('connected_at', { mode: 'number' }).notNull(),
    disconnected: boolean().notNull(),
    revision: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.callId, t.userId] }), index('call_participants_user').on(t.userId)],
)

export const webhooks = pgTable(
  'webhooks',
  { id: text().primaryKey(), receivedAt: instant('received_at').notNull() },
  (t) => [index('webhooks_age').on(t.receivedAt)],
)

/** Requests that have not succeeded yet: removing a participant or closing a room. */
export const mediaChores = pgTable(
  'media_chores',
  {
    id: bigserial({ mode: 'bigint' }).primaryKey(),
    mediaRoom: text('media_room').notNull(),
    /** Null: close the room. */
    userId: text('user_id'),
    createdAt: instant('created_at').notNull(),
    /** When the chore is due; while a process runs it, when its lease ends. */
    dueAt: instant('due_at').notNull(),
    fence: integer().notNull().default(0),
    attempts: integer().notNull().default(0),
  },
  (t) => [index('media_chores_due').on(t.dueAt)],
)

/** Schedule of periodic tasks. Each time a task is due, one process starts it. */
export const turns = pgTable('turns', {
  task: text().primaryKey(),
  nextAt: instant('next_at').notNull(),
  /** Consecutive failures. */
  failures: integer().notNull(),
})
