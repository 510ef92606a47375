import { bigint, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'

export { erasures, inbox, outbox, outboxLeases, outboxPlaces, parkedEvents } from '@parley/events/schema'
export { pushJobs, pushSubscriptions } from './push-schema.ts'

/** Chosen levels; no row stands for the default. The level of the whole server has an empty room id. */
export const notificationLevels = pgTable(
  'notification_levels',
  {
    userId: text('user_id').notNull(),
    roomId: text('room_id').notNull(),
    level: text({ enum: ['muted', 'normal', 'all_messages'] }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.roomId] })],
)

/** Versions of what users chose; the row is held while an event of the aggregate `preference` is written. */
export const preferences = pgTable('preferences', {
  userId: text('user_id').primaryKey(),
  version: bigint({ mode: 'bigint' }).notNull(),
})
