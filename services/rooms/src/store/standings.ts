import { and, eq } from 'drizzle-orm'
import type { Reader } from '@parley/postgres'
import type { Standing } from '../policy/standing.ts'
import { anyOf } from './any-of.ts'
import { roomBans, roomMembers } from './schema.ts'
import { isBanActive } from './rooms.ts'

export async function standingsOf(
  reader: Reader,
  roomId: string,
  userIds: readonly string[],
): Promise<Map<string, Standing>> {
  const members = await reader
    .select({ userId: roomMembers.userId })
    .from(roomMembers)
    .where(and(eq(roomMembers.roomId, roomId), roomMembers.member, anyOf(roomMembers.userId, userIds)))
  const banned = await reader
    .select({ userId: roomBans.userId })
    .from(roomBans)
    .where(and(eq(roomBans.roomId, roomId), isBanActive, anyOf(roomBans.userId, userIds)))
  const bans = new Set(banned.map(({ userId }) => userId))
  const explicit = new Set(members.map(({ userId }) => userId))
  return new Map(userIds.map((userId) => [userId, { member: explicit.has(userId), banned: bans.has(userId) }]))
}
