import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'

export { erasures, inbox, outbox, outboxLeases, outboxPlaces, parkedEvents } from '@parley/events/schema'

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
    /** Increased by each announced change; every change locks it. */
    version: bigint({ mode: 'bigint' }).notNull(),
    /** Version at which the roles last changed. */
    rolesVersion: bigint('roles_version', { mode: 'bigint' }).notNull(),
    /** Credentials of an older generation are invalid. */
    authGeneration: integer('auth_generation').notNull().default(0),
    timezone: text(),
    timeFormat: integer('time_format'),
    loginChangedAt: moment('login_changed_at'),
    /** When the user last changed the login themselves; null: may change it now. */
    cooldownFrom: moment('cooldown_from'),
    /** Key of the avatar below /assets/server/. */
    avatarKey: text('avatar_key'),
    statusEmoji: text('status_emoji'),
    statusText: text('status_text'),
    statusExpiresAt: moment('status_expires_at'),
    /** When a password link was last mailed. */
    resetMailedAt: moment('reset_mailed_at'),
    createdAt: moment('created_at').notNull(),
    /** Since when the account cannot sign in; null: it can. */
    deactivatedAt: moment('deactivated_at'),
    deletedAt: moment('deleted_at'),
  },
  (t) => [
    index('users_created').on(t.createdAt, t.login),
    index('users_status_expiry')
      .on(t.statusExpiresAt)
      .where(sql`${t.statusExpiresAt} is not null`),
  ],
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
    /**
     * Whether it was added in a session rather than with the account or by an operator: a stolen session can add
     * addresses.
     */
    selfAdded: boolean('self_added').notNull().default(false),
    /** Whether an administrator declared it verified when creating the account, without any later proof. */
    unproven: boolean().notNull().default(false),
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
    /** The session of one sign-in; null: created before sessions had ids, and a session by itself. */
    sessionId: text('session_id'),
    /** User agent of the program that signed in; null: unknown. */
    userAgent: text('user_agent'),
    /** Origin of the other web client that has access; null: none. */
    clientOrigin: text('client_origin'),
    digest: bytea().notNull(),
    authGeneration: integer('auth_generation').notNull(),
    /** Null: can never be fresh. */
    freshUntil: moment('fresh_until'),
    createdAt: moment('created_at').notNull(),
    /** When the browser last got a cookie with the current handle; null for bearer tokens. */
    rotatedAt: moment('rotated_at'),
    /** The handle before that: requests under way may still carry it for a moment. */
    previousDigest: bytea('previous_digest'),
    expiresAt: moment('expires_at').notNull(),
    /** Kept for a day, so that ending it again finds the same event to wait for. */
    endedAt: moment('ended_at'),
  },
  (t) => [
    uniqueIndex('credentials_digest').on(t.digest),
    uniqueIndex('credentials_previous_digest')
      .on(t.previousDigest)
      .where(sql`${t.previousDigest} is not null`),
    index('credentials_user').on(t.userId),
    index('credentials_expiry').on(t.expiresAt),
    index('credentials_ended')
      .on(t.endedAt)
      .where(sql`${t.endedAt} is not null`),
    check('credentials_digest_length', sql`octet_length(${t.digest}) = 32`),
  ],
)

/**
 * Codes that were mailed to prove an address, one row per purpose and address, with counts that limit guessing and
 * flooding.
 */
export const emailCodes = pgTable(
  'email_codes',
  {
    purpose: text({ enum: ['registration', 'verification'] }).notNull(),
    /** The address in lower case. */
    emailKey: text('email_key').notNull(),
    /** Who wants to prove the address; empty for a registration. */
    userId: text('user_id').notNull().default(''),
    codeDigest: bytea('code_digest').notNull(),
    expiresAt: moment('expires_at').notNull(),
    wrongAttempts: integer('wrong_attempts').notNull().default(0),
    /** Mails since `windowFrom`. */
    mails: integer().notNull().default(1),
    windowFrom: moment('window_from').notNull(),
  },
  (t) => [primaryKey({ columns: [t.purpose, t.emailKey, t.userId] }), index('email_codes_expiry').on(t.expiresAt)],
)

/** Single-use tokens for one named step, by the digest of the token. */
export const flowTokens = pgTable(
  'flow_tokens',
  {
    digest: bytea().primaryKey(),
    purpose: text({
      enum: [
        'registration',
        'password_reset',
        'account_deletion',
        'link_start',
        'external_create',
        'external_link',
        'authorization_code',
      ],
    }).notNull(),
    /** Its owner; empty while it has none. */
    userId: text('user_id').notNull(),
    /** The owner's generation when it began; null while it has none. It is invalid in later generations. */
    authGeneration: integer('auth_generation'),
    /** Data for the step; its shape depends on the purpose. */
    payload: jsonb().notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [index('flow_tokens_expiry').on(t.expiresAt), index('flow_tokens_user').on(t.userId)],
)

/** Links by which people register, by digest of their secret. One that is used up is deleted. */
export const invites = pgTable(
  'invites',
  {
    id: text().primaryKey(),
    digest: bytea().notNull(),
    label: text().notNull(),
    /** The address to which it was mailed, as entered; empty for a link to be passed on. */
    email: text().notNull(),
    roleIds: text('role_ids').array().notNull(),
    maxUses: integer('max_uses').notNull(),
    uses: integer().notNull().default(0),
    createdBy: text('created_by')
      .notNull()
      .references(() => users.id),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [
    uniqueIndex('invites_digest').on(t.digest),
    index('invites_created').on(t.createdAt, t.id),
    index('invites_creator').on(t.createdBy),
    index('invites_expiry').on(t.expiresAt),
  ],
)

/** Browsers that were sent to a provider and have not come back. */
export const providerLogins = pgTable(
  'provider_logins',
  {
    stateDigest: bytea('state_digest').primaryKey(),
    /** Digest of the handle in the browser's cookie. */
    browserDigest: bytea('browser_digest').notNull(),
    providerId: text('provider_id').notNull(),
    nonce: text().notNull(),
    codeVerifier: text('code_verifier').notNull(),
    redirectPath: text('redirect_path').notNull(),
    /** The user who links an identity; null for a sign-in. */
    linkUserId: text('link_user_id'),
    /** Their generation when they began. */
    linkAuthGeneration: integer('link_auth_generation'),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [index('provider_logins_expiry').on(t.expiresAt)],
)

/** Identities at providers. The issuer of OAuth-only types is the configured id of the provider. */
export const externalIdentities = pgTable(
  'external_identities',
  {
    issuer: text().notNull(),
    subject: text().notNull(),
    /** Hex SHA-256 of `issuer:subject`. */
    subjectHash: text('subject_hash').notNull(),
    providerId: text('provider_id').notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    linkedAt: moment('linked_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.issuer, t.subject] }),
    uniqueIndex('external_identities_hash').on(t.subjectHash),
    index('external_identities_user').on(t.userId),
  ],
)

/** Other web clients to which users consented. */
export const oauthConsents = pgTable(
  'oauth_consents',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    origin: text().notNull(),
    grantedAt: moment('granted_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.origin] })],
)

/** Deleted accounts, until a pass over every service has found nothing. */
export const deletions = pgTable(
  'deletions',
  {
    userId: text('user_id')
      .primaryKey()
      .references(() => users.id),
    requestedAt: moment('requested_at').notNull(),
    /** The pass that was last requested from services. */
    pass: integer().notNull().default(1),
    askedAt: moment('asked_at').notNull(),
    completedAt: moment('completed_at'),
  },
  (t) => [
    index('deletions_open')
      .on(t.askedAt)
      .where(sql`${t.completedAt} is null`),
  ],
)

/** Reports of each service about each pass. */
export const deletionReports = pgTable(
  'deletion_reports',
  {
    userId: text('user_id')
      .notNull()
      .references(() => deletions.userId),
    pass: integer().notNull(),
    service: text().notNull(),
    found: bigint({ mode: 'bigint' }).notNull(),
    reportedAt: moment('reported_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.pass, t.service] })],
)

/** Maps people of an import's source to accounts, by a digest, so that no name of a deleted person remains. */
export const importedPeople = pgTable(
  'imported_people',
  {
    /** SHA-256 of the source and the id at the source. */
    key: bytea().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
  },
  (t) => [index('imported_people_user').on(t.userId)],
)
