import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { RoomKind } from '@parley/contracts/api'
import { decodeCursor, encodeCursor } from '@parley/postgres'
import { callerOf } from '@parley/rpc'
import { findProfiles } from '../../clients/accounts.ts'
import type { Context } from '../../context.ts'
import { badCursor, dmHasNoBans } from '../../errors.ts'
import { assertCanListBans } from '../../policy/banning.ts'
import { listBans as listBanRows, type BanKey } from '../../store/ban-list.ts'
import { getRoomWithStanding } from '../../store/rooms.ts'
import { toRoomBan } from '../../view/ban.ts'
import { toDirectoryMember } from '../../view/member.ts'

const defaultLimit = 50
const maxLimit = 100

export function listBans(ctx: Context): MethodImpl<typeof RoomService.method.listBans> {
  return async ({ roomId, page }, call) => {
    const caller = callerOf(call)
    const policy = ctx.policy.current()
    assertCanListBans(policy, caller)
    const before = page?.cursor ? parseCursor(page.cursor) : undefined
    if (roomId !== '') {
      const { room } = await getRoomWithStanding(ctx.db, caller.userId, roomId)
      if (room.kind === RoomKind.DM) throw dmHasNoBans()
    }
    const limit = Math.min(page?.limit || defaultLimit, maxLimit)
    const { bans, total } = await listBanRows(ctx.db, roomId, { limit: limit + 1, offset: page?.offset ?? 0, before })

    const shown = bans.slice(0, limit)
    const hasMore = bans.length > limit
    const last = shown.at(-1)?.ban
    const nextCursor = hasMore && last ? encodeCursor([last.createdAt.getTime(), last.id]) : ''
    const ids = [...new Set(shown.flatMap(({ ban }) => [ban.userId, ban.moderatorId]))]
    const profiles = ids.length === 0 ? [] : [...(await findProfiles(ctx.accounts, ids))]
    const people = new Map(profiles.map(([id, profile]) => [id, toDirectoryMember(profile, policy)]))
    return {
      bans: shown.map(({ ban, room }) => toRoomBan(ban, room, people)),
      page: { totalCount: total, hasMore, nextCursor },
    }
  }
}

function parseCursor(cursor: string): BanKey {
  const [at = '', id, ...rest] = decodeCursor(cursor)
  if (!/^\d{1,15}$/.test(at) || id === undefined || id.includes('\0') || rest.length > 0) throw badCursor()
  return { createdAt: new Date(Number(at)), id }
}
