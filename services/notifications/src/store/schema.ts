import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core'

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
