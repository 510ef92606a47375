import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

export {
  erasures,
  inbox,
  outbox,
  outboxLeases,
  outboxPlaces,
  parkedEvents,
  streamRecovery,
} from '@parley/events/schema'

/** One row, locked by every change of roles and decisions. */
export const policyState = pgTable(
  'policy_state',
  {
    id: text().primaryKey().default('server'),
    revision: bigint({ mode: 'bigint' }).notNull(),
  },
  (t) => [check('policy_state_single', sql`${t.id} = 'server'`)],
)

export const roles = pgTable('roles', {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  displayName: text('display_name').notNull(),
  description: text().notNull(),
  pingable: boolean().notNull(),
  position: integer().notNull(),
  isSystem: boolean('is_system').notNull(),
})

/**
 * Names that the service `accounts` may have reserved for roles that do not exist. A row is deleted when the role is
 * created, or when the name has been released.
 */
export const pendingRoleNames = pgTable(
  'pending_role_names',
  {
    roleId: text('role_id').primaryKey(),
    name: text().notNull(),
    state: text({ enum: ['reserved', 'given_up'] }).notNull(),
    since: timestamp({ withTimezone: true }).notNull(),
  },
  (t) => [index('pending_role_names_since').on(t.since)],
)

/** The id of the server scope is empty. */
export const permissionDecisions = pgTable(
  'permission_decisions',
  {
    scopeKind: text('scope_kind', { enum: ['server', 'group', 'room'] }).notNull(),
    scopeId: text('scope_id').notNull(),
    subjectKind: text('subject_kind', { enum: ['role', 'user'] }).notNull(),
    subjectId: text('subject_id').notNull(),
    permission: text().notNull(),
    decision: text({ enum: ['allow', 'deny'] }).notNull(),
  },
  (t) => [
    primaryKey({
      name: 'permission_decisions_key',
      columns: [t.scopeKind, t.scopeId, t.subjectKind, t.subjectId, t.permission],
    }),
    index('permission_decisions_subject').on(t.subjectKind, t.subjectId),
    check('permission_decisions_scope', sql`(${t.scopeKind} = 'server') = (${t.scopeId} = '')`),
  ],
)

/** One row. Null means the default (name, description) or none (all others). */
export const serverProfile = pgTable(
  'server_profile',
  {
    id: text().primaryKey().default('server'),
    version: bigint({ mode: 'bigint' }).notNull(),
    name: text(),
    description: text(),
    motd: text(),
    welcomeMessage: text('welcome_message'),
    logoKey: text('logo_key'),
    bannerKey: text('banner_key'),
  },
  (t) => [check('server_profile_single', sql`${t.id} = 'server'`)],
)

/** In lower case. */
export const blockedUsernames = pgTable('blocked_usernames', {
  username: text().primaryKey(),
})

/** One row: the newest sequence of the audit log, locked by every append. */
export const auditCounter = pgTable(
  'audit_counter',
  {
    id: text().primaryKey().default('server'),
    lastSequence: bigint('last_sequence', { mode: 'bigint' }).notNull(),
  },
  (t) => [check('audit_counter_single', sql`${t.id} = 'server'`)],
)

/**
 * Partitioned by bucket (class and month of recording). Only the migration contains the partitioning, which drizzle
 * cannot express.
 */
export const auditEntries = pgTable(
  'audit_entries',
  {
    sequence: bigint({ mode: 'bigint' }).notNull(),
    bucket: text().notNull(),
    eventId: text('event_id').notNull(),
    eventType: text('event_type').notNull(),
    aggregateType: text('aggregate_type').notNull(),
    aggregateId: text('aggregate_id').notNull(),
    kind: text().notNull(),
    /** Empty for the system. */
    actorId: text('actor_id').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true, precision: 3 }).notNull(),
    /** JSON. */
    payload: text().notNull(),
  },
  (t) => [primaryKey({ name: 'audit_entries_key', columns: [t.sequence, t.bucket] })],
)

/** Entries per type and bucket, so that they need not be counted. */
export const auditCounts = pgTable(
  'audit_counts',
  {
    bucket: text().notNull(),
    eventType: text('event_type').notNull(),
    entries: bigint({ mode: 'bigint' }).notNull(),
  },
  (t) => [primaryKey({ name: 'audit_counts_key', columns: [t.bucket, t.eventType] })],
)
