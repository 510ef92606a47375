import { RoomKind, type User } from '@parley/contracts/api'
import { findProfiles } from '../../clients/accounts.ts'
import type { Context } from '../../context.ts'
import { findDmMembers } from '../../store/dm-members.ts'
import type { SeenRoom } from '../../store/rows.ts'

/**
 * The participants of the direct messages among these rooms, by room; empty while accounts does not answer, because
 * they are needed only for display.
 */
export async function dmMembers(ctx: Context, seen: readonly SeenRoom[]): Promise<ReadonlyMap<string, User[]>> {
  const dms = seen.flatMap(({ room }) => (room.kind === RoomKind.DM ? [room.id] : []))
  if (dms.length === 0) return new Map()
  const members = await findDmMembers(ctx.db, dms)
  const profiles = await findProfiles(ctx.accounts, [...new Set([...members.values()].flat())]).catch(() => undefined)
  if (!profiles) return new Map()
  return new Map([...members].map(([roomId, ids]) => [roomId, ids.flatMap((id) => profiles.get(id)?.user ?? [])]))
}
