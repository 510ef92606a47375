import { create } from '@bufbuild/protobuf'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { PolicyDecisionSchema, type PolicyDecision } from '@parley/contracts/internal'
import { dmRoomId } from '@parley/ids'
import type { Db } from '@parley/postgres'
import { newDm } from '../src/domain/new-room.ts'
import { dmRow, insertRoom } from '../src/store/new-rooms.ts'
import { roomBans, roomGroups } from '../src/store/schema.ts'
import type { Env } from './_env.ts'

export async function ban(
  db: Db,
  roomId: string,
  userId: string,
  options: { expiresAt?: Date; at?: Date } = {},
): Promise<void> {
  const { expiresAt = null, at = new Date() } = options
  const row = {
    roomId,
    userId,
    id: `B${roomId}${userId}`,
    banned: true,
    moderatorId: 'Umod',
    reason: 'noise',
    version: 1n,
  }
  await db.insert(roomBans).values({ ...row, createdAt: at, expiresAt, since: at })
}

export async function createDm(env: Pick<Env, 'db' | 'messaging'>, userIds: string[]): Promise<string> {
  const made = newDm(dmRoomId(Buffer.from('key of tests'), userIds), userIds, {
    actorId: userIds[0] ?? '',
    at: new Date(),
  })
  await env.db.transaction((tx) => insertRoom(tx, dmRow(made), made))
  env.messaging.held.set(made.head.id, made.facts)
  return made.head.id
}

/** Creates a group with an id that a test can use in decisions before the group exists. */
export async function createGroup(db: Db, id: string, position: number): Promise<void> {
  await db.insert(roomGroups).values({ id, name: id, description: '', position, createdAt: new Date() })
}

type DecisionOptions = { userId: string; permission: string; groupId?: string; roomId?: string; deny?: boolean }

export function decisionFor({ userId, permission, groupId, roomId, deny = false }: DecisionOptions): PolicyDecision {
  const { SERVER, GROUP, ROOM } = PermissionScopeKind
  const kind = groupId ? GROUP : roomId ? ROOM : SERVER
  const decision = deny ? PermissionDecision.DENY : PermissionDecision.ALLOW
  return create(PolicyDecisionSchema, { userId, permission, scope: { kind, id: groupId ?? roomId ?? '' }, decision })
}
