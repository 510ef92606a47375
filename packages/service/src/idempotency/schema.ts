import { customType, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

const bytea = customType<{ data: Uint8Array; driverData: Buffer }>({ dataType: () => 'bytea' })

/** Responses to calls with an idempotency key, of the last 24 hours. A key belongs to its caller and method. */
export const idempotentCalls = pgTable(
  'idempotent_calls',
  {
    callerId: text('caller_id').notNull(),
    /** `/<service>/<method>`, see `methodPath`. */
    method: text('method').notNull(),
    key: text('key').notNull(),
    /** SHA-256. */
    requestDigest: bytea('request_digest').notNull(),
    response: bytea('response').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.callerId, t.method, t.key] }), index('idempotent_calls_by_age').on(t.createdAt)],
)
