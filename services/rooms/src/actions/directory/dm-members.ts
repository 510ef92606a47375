import type { User } from '@parley/contracts/api'
import { findProfiles } from '../../clients/accounts.ts'
import type { Context } from '../../context.ts'
import type { ListedRoom } from '../../store/rows.ts'

/**
 * Participants of direct messages by room. Empty if the service `accounts` returns no profiles: rooms are then shown
 * without participants.
 */
export async function findDmMembers(ctx: Context, rooms: readonly ListedRoom[]): Promise<ReadonlyMap<string, User[]>> {
  const dms = rooms.filter(({ dmMemberIds }) => dmMemberIds.length > 0)
  if (dms.length === 0) return new Map()
  const ids = new Set(dms.flatMap(({ dmMemberIds }) => dmMemberIds))
  const profiles = await findProfiles(ctx.accounts, [...ids]).catch(() => undefined)
  if (!profiles) return new Map()
  return new Map(
    dms.map(({ room, dmMemberIds }) => [room.id, dmMemberIds.flatMap((id) => profiles.get(id)?.user ?? [])]),
  )
}
