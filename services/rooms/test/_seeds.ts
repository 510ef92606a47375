import { dmRoomId } from '@parley/ids'
import type { Db } from '@parley/postgres'
import { newDm } from '../src/domain/new-room.ts'
import { dmRow, insertRoom } from '../src/store/new-rooms.ts'
import { roomBans } from '../src/store/schema.ts'
import type { Env } from './_env.ts'

/** A ban as the store keeps it. */
export async function ban(db: Db, roomId: string, userId: string, options: { expiresAt?: Date } = {}): Promise<void> {
  const at = new Date()
  const { expiresAt = null } = options
  const row = { roomId, userId, id: `B${userId}`, banned: true, moderatorId: 'Umod', reason: 'noise', version: 1n }
  await db.insert(roomBans).values({ ...row, createdAt: at, expiresAt, since: at })
}

/** A direct message that messaging knows of. */
export async function dm(env: Pick<Env, 'db' | 'messaging'>, userIds: string[]): Promise<string> {
  const made = newDm(dmRoomId(userIds), userIds, { actorId: userIds[0] ?? '', at: new Date() })
  await env.db.transaction((tx) => insertRoom(tx, dmRow(made), made))
  env.messaging.held.set(made.head.id, made.facts)
  return made.head.id
}
