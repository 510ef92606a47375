import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { RoomKind } from '@parley/contracts/api'

export { erasures, inbox, outbox, outboxLeases, outboxPlaces, parkedEvents } from '@parley/events/schema'
export { idempotentCalls } from '@parley/service/schema'

const bytea = customType<{ data: Uint8Array; driverData: Buffer }>({
  dataType: () => 'bytea',
  toDriver: (bytes) => Buffer.from(bytes),
})
const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
const version = (name: string) => bigint(name, { mode: 'bigint' })

export const dmKeys = pgTable(
  'dm_keys',
  { only: boolean().primaryKey().default(true), key: bytea('key').notNull() },
  (t) => [check('dm_keys_one', sql`${t.only}`)],
)

export const roomGroups = pgTable('room_groups', {
  id: text().primaryKey(),
  name: text().notNull(),
  description: text().notNull(),
  position: integer().notNull(),
  createdAt: instant('created_at').notNull(),
})

export const rooms = pgTable(
  'rooms',
  {
    id: text().primaryKey(),
    kind: smallint().$type<RoomKind>().notNull(),
    /** Every change locks the row and raises the version. */
    version: version('version').notNull(),
    name: text().notNull(),
    /** The name in lower case, also of an archived room; null for a direct message. */
    nameKey: text('name_key'),
    description: text().notNull(),
    groupId: text('group_id').references(() => roomGroups.id),
    universal: boolean().notNull(),
    universalEndedAt: instant('universal_ended_at'),
    archived: boolean().notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('rooms_name_key').on(t.nameKey),
    index('rooms_by_group').on(t.groupId),
    index('rooms_universal')
      .on(t.id)
      .where(sql`${t.universal} or ${t.universalEndedAt} is not null`),
    check('rooms_kind', sql`${t.kind} in (1, 2)`),
    check(
      'rooms_channel_has_name_and_group',
      sql`(${t.kind} = 1) = (${t.nameKey} is not null and ${t.groupId} is not null)`,
    ),
    check('rooms_dm_is_plain', sql`${t.kind} = 1 or not (${t.universal} or ${t.archived})`),
  ],
)

export const roomMembers = pgTable(
  'room_members',
  {
    roomId: text('room_id')
      .notNull()
      .references(() => rooms.id),
    userId: text('user_id').notNull(),
    /** False after the end. The row stays, because its version shows that the end is newer than earlier facts. */
    member: boolean().notNull(),
    version: version('version').notNull(),
    since: instant('since').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.roomId, t.userId] }),
    index('room_members_of_room')
      .on(t.roomId, t.userId)
      .where(sql`${t.member}`),
    index('room_members_by_user').on(t.userId, t.member),
  ],
)

export const roomBans = pgTable(
  'room_bans',
  {
    roomId: text('room_id')
      .notNull()
      .references(() => rooms.id),
    userId: text('user_id').notNull(),
    id: text().notNull(),
    /** False once a fact has ended the ban. An expired ban has no effect even before that fact. */
    banned: boolean().notNull(),
    moderatorId: text('moderator_id').notNull(),
    reason: text().notNull(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at'),
    version: version('version').notNull(),
    since: instant('since').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.roomId, t.userId] }),
    index('room_bans_by_user').on(t.userId),
    index('room_bans_newest')
      .on(t.createdAt, t.id)
      .where(sql`${t.banned}`),
    index('room_bans_newest_of_room')
      .on(t.roomId, t.createdAt, t.id)
      .where(sql`${t.banned}`),
    index('room_bans_expiring')
      .on(t.expiresAt)
      .where(sql`${t.banned}`),
  ],
)

/** Every change of every room, kept permanently: the source for messaging. */
export const roomFacts = pgTable(
  'room_facts',
  {
    roomId: text('room_id')
      .notNull()
      .references(() => rooms.id),
    version: version('version').notNull(),
    eventId: text('event_id').notNull(),
    fact: bytea('fact').notNull(),
    createdAt: instant('created_at').notNull(),
    /** Whether the fact takes access away; it then counts as applied only once its event is on the stream. */
    awaitsStream: boolean('awaits_stream').notNull(),
    appliedAt: instant('applied_at'),
    /** Given for a ban or for its end; the fact and its event do not contain it. */
    reason: text(),
  },
  (t) => [
    primaryKey({ columns: [t.roomId, t.version] }),
    index('room_facts_left')
      .on(t.roomId, t.version)
      .where(sql`${t.appliedAt} is null`),
  ],
)

export const layoutItems = pgTable(
  'layout_items',
  {
    itemId: text('item_id').primaryKey(),
    kind: text({ enum: ['room', 'link'] }).notNull(),
    groupId: text('group_id')
      .notNull()
      .references(() => roomGroups.id),
    position: integer().notNull(),
  },
  (t) => [index('layout_items_by_group').on(t.groupId, t.position)],
)

export const sidebarLinks = pgTable('sidebar_links', {
  id: text().primaryKey(),
  label: text().notNull(),
  url: text().notNull(),
})

/** The row `server`: every change of groups, links and their order locks it. */
export const layout = pgTable('layout', {
  id: text().primaryKey(),
  version: version('version').notNull(),
})

/** Ids of the first group and rooms, stored before these, so that every attempt to create them uses the same ids. */
export const lobby = pgTable('lobby', {
  id: text().primaryKey(),
  groupId: text('group_id').notNull(),
  announcementsId: text('announcements_id').notNull(),
  generalId: text('general_id').notNull(),
})

/** Copied from the service `accounts`. Profile and roles arrive on two consumers, so each has a version. */
export const people = pgTable(
  'people',
  {
    userId: text('user_id').primaryKey(),
    login: text().notNull(),
    displayName: text('display_name').notNull(),
    nameKey: text('name_key').notNull(),
    searchKey: text('search_key').notNull().default(''),
    searchGrams: text('search_grams').array().notNull().default([]),
    roleIds: text('role_ids').array().notNull(),
    deleted: boolean().notNull(),
    profileVersion: version('profile_version').notNull(),
    rolesVersion: version('roles_version').notNull(),
  },
  (t) => [
    index('people_by_name')
      .on(t.nameKey, t.login, t.userId)
      .where(sql`not ${t.deleted}`),
    index('people_by_grams').using('gin', t.searchGrams).with({ fastupdate: false }),
    index('people_by_roles').using('gin', t.roleIds).with({ fastupdate: false }),
  ],
)

export const projectionFills = pgTable('projection_fills', {
  name: text().primaryKey(),
  filledAt: instant('filled_at').notNull(),
})

/** Ids of imported rooms, each stored before its room, so that every attempt to create the room uses the same id. */
export const importedRooms = pgTable(
  'imported_rooms',
  {
    source: text().notNull(),
    externalId: text('external_id').notNull(),
    roomId: text('room_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.source, t.externalId] })],
)
