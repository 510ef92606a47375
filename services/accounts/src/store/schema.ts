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
    /** Null: the login is shown. */
    displayName: text('display_name'),
    passwordHash: text('password_hash'),
    /** Increases with every announced change. Every change locks the row. */
    version: bigint({ mode: 'bigint' }).notNull(),
    /** Version at which the roles last changed. */
    rolesVersion: bigint('roles_version', { mode: 'bigint' }).notNull(),
    /** Credentials of an older generation are invalid. */
    authGeneration: integer('auth_generation').notNull().default(0),
    timezone: text(),
    timeFormat: integer('time_format'),
    loginChangedAt: moment('login_changed_at'),
    /** Start of the cooldown for changes of the login; null: the user may change it now. */
    cooldownFrom: moment('cooldown_from'),
    /** Path of the avatar below /assets/server/. */
    avatarKey: text('avatar_key'),
    statusEmoji: text('status_emoji'),
    statusText: text('status_text'),
    statusExpiresAt: moment('status_expires_at'),
    /** When a link for resetting the password was last created. */
    resetMailedAt: moment('reset_mailed_at'),
    createdAt: moment('created_at').notNull(),
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

/** In lower case; logins and role names share one namespace. */
export const handles = pgTable(
  'handles',
  {
    key: text().primaryKey(),
    kind: text({ enum: ['login', 'role'] }).notNull(),
    ownerId: text('owner_id').notNull(),
  },
  (t) => [index('handles_owner').on(t.ownerId)],
)

/** The key is the address in lower case. */
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
     * Whether the address was added in a session, which may be stolen, and not by an operator or at the creation of the
     * account.
     */
    selfAdded: boolean('self_added').notNull().default(false),
    /** Only an administrator has declared the address verified, when creating the account. */
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

/** Only digests of the secrets are stored. */
export const credentials = pgTable(
  'credentials',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    kind: text({ enum: ['bearer', 'cookie'] }).notNull(),
    /** The session of one sign-in. Null for credentials from before sessions had ids; each is a session of its own. */
    sessionId: text('session_id'),
    userAgent: text('user_agent'),
    /** Origin of the other web client that got the credential by OAuth; null for our own clients. */
    clientOrigin: text('client_origin'),
    digest: bytea().notNull(),
    authGeneration: integer('auth_generation').notNull(),
    /** Null: can never be fresh. */
    freshUntil: moment('fresh_until'),
    createdAt: moment('created_at').notNull(),
    /** When the browser got its current session cookie; null for bearer tokens. */
    rotatedAt: moment('rotated_at'),
    /** Stays valid for a minute, for requests that are already running. */
    previousDigest: bytea('previous_digest'),
    expiresAt: moment('expires_at').notNull(),
    /** An ended credential is kept for a day, so that a repeated call that ends it can wait for the same event. */
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

/** One row per purpose, address and user, with counts that limit guessing and flooding. */
export const emailCodes = pgTable(
  'email_codes',
  {
    purpose: text({ enum: ['registration', 'verification'] }).notNull(),
    emailKey: text('email_key').notNull(),
    /** Empty for a registration. */
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

/** Single-use tokens of unfinished flows. */
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
    userId: text('user_id').notNull(),
    /** The user's generation when the flow began; null without a user. The flow is invalid in later generations. */
    authGeneration: integer('auth_generation'),
    payload: jsonb().notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [index('flow_tokens_expiry').on(t.expiresAt), index('flow_tokens_user').on(t.userId)],
)

/** An invite that is used up is deleted. */
export const invites = pgTable(
  'invites',
  {
    id: text().primaryKey(),
    digest: bytea().notNull(),
    label: text().notNull(),
    /** The address to which the link was mailed, as entered; empty if it was not mailed. */
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

/** Browsers that were sent to a provider and have not returned. */
export const providerLogins = pgTable(
  'provider_logins',
  {
    stateDigest: bytea('state_digest').primaryKey(),
    browserDigest: bytea('browser_digest').notNull(),
    /** Empty if the browser was sent by /auth/oidc, which stands for the only provider of type oidc. */
    providerId: text('provider_id').notNull(),
    nonce: text().notNull(),
    codeVerifier: text('code_verifier').notNull(),
    redirectPath: text('redirect_path').notNull(),
    linkUserId: text('link_user_id'),
    linkAuthGeneration: integer('link_auth_generation'),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [index('provider_logins_expiry').on(t.expiresAt)],
)

/** The issuer is the id of the provider, unless its type is oidc. */
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

/** Complete once an erasure pass after the first has found nothing in any service. */
export const deletions = pgTable(
  'deletions',
  {
    userId: text('user_id')
      .primaryKey()
      .references(() => users.id),
    requestedAt: moment('requested_at').notNull(),
    pass: integer().notNull().default(1),
    /** When the current pass was requested. */
    askedAt: moment('asked_at').notNull(),
    completedAt: moment('completed_at'),
  },
  (t) => [
    index('deletions_open')
      .on(t.askedAt)
      .where(sql`${t.completedAt} is null`),
  ],
)

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

/** Has a digest as key, because the id at the source could identify a deleted person. */
export const importedPeople = pgTable(
  'imported_people',
  {
    /** SHA-256 of the source and the id there. */
    key: bytea().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
  },
  (t) => [index('imported_people_user').on(t.userId)],
)
