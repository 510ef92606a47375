import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
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

export const blobs = pgTable(
  'blobs',
  {
    id: text().primaryKey(),
    callerId: text('caller_id').notNull(),
    /** Nonce of the ticket: a repeated request gets the same blob. */
    nonce: text().notNull().unique(),
    size: bigint({ mode: 'number' }).notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [index('blobs_created').on(t.createdAt)],
)

export const serverImages = pgTable(
  'server_images',
  {
    key: text().primaryKey(),
    ownerId: text('owner_id').notNull(),
    kind: text().$type<'avatar' | 'logo' | 'banner' | 'link_preview'>().notNull(),
    size: integer().notNull(),
    width: integer().notNull(),
    height: integer().notNull(),
    digest: text().notNull(),
    createdAt: instant('created_at').notNull(),
    /** An event of the owner refers to it. Images of previews are kept by `link_previews` and `preview_uses`. */
    claimed: boolean().notNull().default(false),
    /** A check found its bytes missing or incomplete. */
    lost: boolean().notNull().default(false),
    /** No longer shown; its bytes will be deleted. */
    doomed: boolean().notNull().default(false),
  },
  (t) => [
    index('server_images_of_owner').on(t.ownerId, t.kind),
    index('server_images_unclaimed')
      .on(t.createdAt)
      .where(sql`not claimed and not doomed`),
    index('server_images_doomed')
      .on(t.key)
      .where(sql`doomed`),
  ],
)

export const serverImageClaims = pgTable(
  'server_image_claims',
  {
    ownerId: text('owner_id').notNull(),
    kind: text().$type<'avatar' | 'logo' | 'banner'>().notNull(),
    key: text(),
    /** Version of the owner in the newest event about the image; older events are ignored. */
    version: bigint({ mode: 'bigint' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.ownerId, t.kind] })],
)

/** One row: the identity of the storage that belongs to this database. */
export const storageIdentity = pgTable('storage_identity', {
  id: text().primaryKey().default('storage'),
  storageId: text('storage_id').notNull(),
  /** Newest last. A copy or an earlier state of the database does not contain the newest mark. */
  marks: text().array().notNull().default([]),
})

/** Failed deletions and when to retry them, so that they do not block others. */
export const failedDeletions = pgTable('failed_deletions', {
  /** Id of the attachment, key of the image or chunk, or storage key of bytes without a row. */
  id: text().primaryKey(),
  failures: integer().notNull(),
  retryAt: instant('retry_at').notNull(),
})

/** Keys of bytes without a row, which are deleted after a week. */
export const orphans = pgTable(
  'orphans',
  {
    key: text().primaryKey(),
    foundAt: instant('found_at').notNull(),
    /** When a sweep or check last found the bytes. Entries whose bytes a complete sweep did not find are deleted. */
    seenAt: instant('seen_at').notNull(),
  },
  (t) => [index('orphans_seen').on(t.seenAt)],
)

export const uploads = pgTable(
  'uploads',
  {
    id: text().primaryKey(),
    ownerId: text('owner_id').notNull(),
    roomId: text('room_id').notNull(),
    filename: text().notNull(),
    contentType: text('content_type').notNull(),
    size: bigint({ mode: 'number' }).notNull(),
    sha256: text().notNull(),
    /** `ended`: cancelled, expired, of a deleted user, or missing a chunk; its bytes are about to be deleted. */
    state: text().$type<'open' | 'completed' | 'ended'>().notNull().default('open'),
    committed: bigint({ mode: 'number' }).notNull().default(0),
    smallChunks: integer('small_chunks').notNull().default(0),
    assetId: text('asset_id'),
    createdAt: instant('created_at').notNull(),
    /** When an open session expires, or a completed one is deleted. */
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [index('uploads_expiry').on(t.expiresAt), index('uploads_owner').on(t.ownerId)],
)

export const uploadChunks = pgTable(
  'upload_chunks',
  {
    uploadId: text('upload_id').notNull(),
    position: bigint({ mode: 'number' }).notNull(),
    key: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.uploadId, t.position] })],
)

export const assets = pgTable(
  'assets',
  {
    id: text().primaryKey(),
    roomId: text('room_id').notNull(),
    ownerId: text('owner_id').notNull(),
    filename: text().notNull(),
    contentType: text('content_type').notNull(),
    size: bigint({ mode: 'number' }).notNull(),
    sha256: text().notNull(),
    /** In pixels; 0 if the file is not a decoded image. */
    width: integer().notNull(),
    height: integer().notNull(),
    animated: boolean().notNull().default(false),
    createdAt: instant('created_at').notNull(),
    claimEventId: text('claim_event_id'),
    claimedAt: instant('claimed_at'),
    posted: boolean().notNull().default(false),
    lost: boolean().notNull().default(false),
    doomed: boolean().notNull().default(false),
  },
  (t) => [
    index('assets_owner').on(t.ownerId),
    index('assets_pending_of_owner')
      .on(t.ownerId)
      .where(sql`not posted and not doomed`),
    index('assets_waiting')
      .on(t.createdAt)
      .where(sql`not posted and not doomed`),
    index('assets_doomed')
      .on(t.id)
      .where(sql`doomed`),
  ],
)

export const linkPreviews = pgTable(
  'link_previews',
  {
    id: text().primaryKey(),
    urlDigest: bytea('url_digest').notNull(),
    /** Encoded svc.internal.v1.PagePreview; null: there is nothing to show. */
    preview: bytea(),
    imageKey: text('image_key'),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [
    index('link_previews_address').on(t.urlDigest, t.expiresAt),
    index('link_previews_image').on(t.imageKey),
    index('link_previews_expiry').on(t.expiresAt),
  ],
)

export const previewUses = pgTable(
  'preview_uses',
  {
    imageKey: text('image_key').notNull(),
    messageEventId: text('message_event_id').notNull(),
    authorId: text('author_id').notNull(),
    /** The message no longer shows the image. The row is kept for a while, in case `message_posted` arrives late. */
    ended: boolean().notNull(),
    changedAt: instant('changed_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.imageKey, t.messageEventId] }),
    index('preview_uses_author').on(t.authorId),
    index('preview_uses_ended')
      .on(t.changedAt)
      .where(sql`ended`),
  ],
)

/** `key`: SHA-256 of the source, the id of the room here and the id of the file at the source. */
export const importedFiles = pgTable('imported_files', {
  key: bytea().primaryKey(),
  uploadId: text('upload_id').notNull(),
  assetId: text('asset_id'),
})

export const videoJobs = pgTable(
  'video_jobs',
  {
    assetId: text('asset_id').primaryKey(),
    roomId: text('room_id').notNull(),
    /** The message that attaches it; never its echo. */
    messageEventId: text('message_event_id').notNull(),
    imported: boolean().notNull(),
    /** Encoded svc.internal.v1.VideoState; null until the video is processed. */
    result: bytea(),
    /** Version of the event with the result; null until there is one, and for results of an earlier release. */
    endedVersion: bigint('ended_version', { mode: 'bigint' }),
    attempts: integer().notNull().default(0),
    fence: integer().notNull().default(0),
    /** Unused, but still written by processes of the previous version. */
    holder: text(),
    dueAt: instant('leased_until').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    index('video_jobs_waiting')
      .on(t.imported, t.createdAt)
      .where(sql`result is null`),
  ],
)

export const assetVariants = pgTable(
  'asset_variants',
  {
    /** The bytes are stored under `variants/` followed by this key. */
    key: text().primaryKey(),
    assetId: text('asset_id').notNull(),
    name: text().notNull(),
    contentType: text('content_type').notNull(),
    size: bigint({ mode: 'number' }).notNull(),
    sha256: text().notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [uniqueIndex('asset_variants_of_asset').on(t.assetId, t.name)],
)
