import { sql } from 'drizzle-orm'
import {
  bigint,
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

export { inbox, outbox, outboxLeases, outboxPlaces, parkedEvents } from '@parley/events/schema'

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
const moment = (name: string) => timestamp(name, { withTimezone: true })

export const users = pgTable(
  'users',
  {
    id: text().primaryKey(),
    login: text().notNull(),
    /** Null falls back to the login. */
    displayName: text('display_name'),
    passwordHash: text('password_hash'),
    /** Raised by each change that is announced; locked by whoever makes one. */
    version: bigint({ mode: 'bigint' }).notNull(),
    /** Version at which the roles last changed. */
    rolesVersion: bigint('roles_version', { mode: 'bigint' }).notNull(),
    /** Credentials of an older generation hold no more. */
    authGeneration: integer('auth_generation').notNull().default(0),
    timezone: text(),
    timeFormat: integer('time_format'),
    loginChangedAt: moment('login_changed_at'),
    createdAt: moment('created_at').notNull(),
    deletedAt: moment('deleted_at'),
  },
  (t) => [index('users_created').on(t.createdAt, t.login)],
)

/** Logins and role names share one space, in lower case. */
export const handles = pgTable(
  'handles',
  {
    key: text().primaryKey(),
    kind: text({ enum: ['login', 'role'] }).notNull(),
    ownerId: text('owner_id').notNull(),
  },
  (t) => [index('handles_owner').on(t.ownerId)],
)

/** Verified addresses; the key is the address in lower case. */
export const emails = pgTable(
  'emails',
  {
    key: text().primaryKey(),
    address: text().notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    verifiedAt: moment('verified_at').notNull(),
  },
  (t) => [index('emails_user').on(t.userId)],
)

export const userRoles = pgTable(
  'user_roles',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    roleId: text('role_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.roleId] }), index('user_roles_role').on(t.roleId)],
)

/** Bearer tokens and browser sessions, by digest: the secret itself is nowhere. */
export const credentials = pgTable(
  'credentials',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    kind: text({ enum: ['bearer', 'cookie'] }).notNull(),
    digest: bytea().notNull(),
    authGeneration: integer('auth_generation').notNull(),
    /** Null: can never be fresh. */
    freshUntil: moment('fresh_until'),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    /** Kept for a day, so that ending it again finds the same event to wait for. */
    endedAt: moment('ended_at'),
  },
  (t) => [
    uniqueIndex('credentials_digest').on(t.digest),
    index('credentials_user').on(t.userId),
    index('credentials_expiry').on(t.expiresAt),
    index('credentials_ended')
      .on(t.endedAt)
      .where(sql`${t.endedAt} is not null`),
    check('credentials_digest_length', sql`octet_length(${t.digest}) = 32`),
  ],
)
