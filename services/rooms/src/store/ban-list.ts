import { and, desc, eq, sql } from 'drizzle-orm'
import type { Reader } from '@parley/postgres'
import type { RoomRow } from './rows.ts'
import { roomBans, rooms } from './schema.ts'
import { isBanActive } from './rooms.ts'

export type BanRow = typeof roomBans.$inferSelect
export type BanKey = { createdAt: Date; id: string }
export type BanPage = { bans: { ban: BanRow; room: RoomRow }[]; total: bigint }

/** `before`: only older bans, instead of `offset`. */
type PageRequest = { limit: number; offset: number; before: BanKey | undefined }

const isActiveIn = (roomId: string) =>
  and(roomBans.banned, isBanActive, roomId === '' ? undefined : eq(roomBans.roomId, roomId))

/** Active bans, of all rooms if `roomId` is empty, newest first, and the total. */
export async function listBans(reader: Reader, roomId: string, page: PageRequest): Promise<BanPage> {
  const total = sql<bigint>`count(*)`.mapWith(BigInt)
  const [bans, [count]] = await Promise.all([
    bansPage(reader, roomId, page),
    reader.select({ total }).from(roomBans).where(isActiveIn(roomId)),
  ])
  return { bans, total: count?.total ?? 0n }
}

export function bansPage(reader: Reader, roomId: string, { limit, offset, before }: PageRequest) {
  const older = before && sql`(${roomBans.createdAt}, ${roomBans.id}) < (${before.createdAt}, ${before.id})`
  return reader
    .select({ ban: roomBans, room: rooms })
    .from(roomBans)
    .innerJoin(rooms, eq(rooms.id, roomBans.roomId))
    .where(and(isActiveIn(roomId), older))
    .orderBy(desc(roomBans.createdAt), desc(roomBans.id))
    .limit(limit)
    .offset(before ? 0 : offset)
}
