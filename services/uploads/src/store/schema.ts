import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

export { erasures, inbox, outbox, outboxLeases, outboxPlaces, parkedEvents } from '@parley/events/schema'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** Bytes that the gateway put aside for a call. */
export const blobs = pgTable(
  'blobs',
  {
    id: text().primaryKey(),
    callerId: text('caller_id').notNull(),
    /** Of the ticket: a request that is sent once more gets the same blob. */
    nonce: text().notNull().unique(),
    size: bigint({ mode: 'number' }).notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [index('blobs_created').on(t.createdAt)],
)

/** Avatars, logos and banners, as they are stored. */
export const serverImages = pgTable(
  'server_images',
  {
    key: text().primaryKey(),
    /** User id, or `server`. */
    ownerId: text('owner_id').notNull(),
    kind: text().$type<'avatar' | 'logo' | 'banner'>().notNull(),
    size: integer().notNull(),
    width: integer().notNull(),
    height: integer().notNull(),
    /** SHA-256 of the bytes as hex. */
    digest: text().notNull(),
    createdAt: instant('created_at').notNull(),
    /** Whether an event of the owner has named it. */
    claimed: boolean().notNull().default(false),
    /** Not shown any more; its bytes are about to be deleted. */
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

/** What the newest event of an owner names. */
export const serverImageClaims = pgTable(
  'server_image_claims',
  {
    ownerId: text('owner_id').notNull(),
    kind: text().$type<'avatar' | 'logo' | 'banner'>().notNull(),
    /** Null: none. */
    key: text(),
    /** Version of the owner in that event; older ones are ignored. */
    version: bigint({ mode: 'bigint' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.ownerId, t.kind] })],
)
