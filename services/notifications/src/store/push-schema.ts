import { sql } from 'drizzle-orm'
import { bigint, boolean, customType, index, integer, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core'
import { pushPriorities } from '../domain/push-priority.ts'

const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' })
const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
const identity = (name: string) => bigint(name, { mode: 'bigint' })

/** An endpoint belongs to the user who registered it last. */
export const pushSubscriptions = pgTable(
  'push_subscriptions',
  {
    id: identity('id').primaryKey().generatedAlwaysAsIdentity(),
    /** Is indexed instead of the endpoint, which is too long. */
    endpointDigest: bytea('endpoint_digest').notNull(),
    endpoint: text().notNull(),
    /** Host and port of the endpoint; the number of pushes in flight is limited per host. */
    host: text().notNull(),
    userId: text('user_id').notNull(),
    /** The session that subscribed, with which the subscription ends; empty for older subscriptions. */
    credentialId: text('credential_id').notNull().default(''),
    p256dh: text().notNull(),
    auth: text().notNull(),
    userAgent: text('user_agent'),
    registeredAt: instant('registered_at').notNull(),
  },
  (t) => [
    uniqueIndex('push_subscriptions_endpoint').on(t.endpointDigest),
    index('push_subscriptions_by_user').on(t.userId, t.registeredAt),
  ],
)

/**
 * Each push shows or dismisses one notification in one browser. A row is deleted when its push has been sent or will
 * not be sent.
 */
export const pushJobs = pgTable(
  'push_jobs',
  {
    id: identity('id').primaryKey().generatedAlwaysAsIdentity(),
    subscriptionId: identity('subscription_id')
      .notNull()
      .references(() => pushSubscriptions.id, { onDelete: 'cascade' }),
    userId: text('user_id').notNull(),
    host: text().notNull(),
    action: text({ enum: ['show', 'dismiss'] }).notNull(),
    tag: text().notNull(),
    notificationId: text('notification_id').notNull().default(''),
    roomId: text('room_id').notNull().default(''),
    eventId: text('event_id').notNull().default(''),
    threadRootEventId: text('thread_root_event_id').notNull().default(''),
    actorId: text('actor_id').notNull().default(''),
    kind: text({ enum: ['direct_message', 'mention', 'reply', 'room_message'] }),
    createdAt: instant('created_at').notNull(),
    lane: text({ enum: pushPriorities }).notNull().default('soon'),
    dueAt: instant('due_at')
      .notNull()
      .default(sql`now()`),
    leasedUntil: instant('leased_until'),
    /** Does not count leases during which the push was certainly not sent. */
    attempts: integer().notNull().default(0),
    /** The notification was dismissed while the push was leased; then it must not be sent. */
    withdrawn: boolean().notNull().default(false),
    traceparent: text().notNull().default(''),
  },
  (t) => [
    index('push_jobs_due').on(t.host, t.lane, t.dueAt),
    index('push_jobs_by_tag').on(t.tag, t.userId),
    index('push_jobs_by_subscription').on(t.subscriptionId, t.tag),
    index('push_jobs_by_age').on(t.createdAt),
  ],
)
