import type { MethodImpl } from '@connectrpc/connect'
import { RoomMembershipKind, type RoomService } from '@parley/contracts/api'
import { decodeCursor, encodeCursor } from '@parley/postgres'
import { callerOf } from '@parley/rpc'
import { findProfiles } from '../../clients/accounts.ts'
import type { Context } from '../../context.ts'
import { getRoomOfMember } from '../../actions/directory/members.ts'
import { inOrderOfIds } from '../../domain/in-order.ts'
import { badCursor } from '../../errors.ts'
import { findWhoMayJoin } from '../../policy/eligibility.ts'
import { countMembers, listMembers as listMemberKeys, type MemberKey } from '../../store/member-list.ts'
import { toDirectoryMember } from '../../view/member.ts'

const defaultLimit = 250

export function listMembers(ctx: Context): MethodImpl<typeof RoomService.method.listMembers> {
  return async ({ roomId, search, membership, page }, call) => {
    const caller = callerOf(call)
    const room = await getRoomOfMember(ctx, caller, roomId)
    const policy = ctx.policy.current()
    const effective = membership === RoomMembershipKind.EFFECTIVE && room.universal
    const scope = { kind: 'room', roomId, groupId: room.groupId ?? '' } as const
    const filter = { roomId, search, eligible: effective ? findWhoMayJoin(policy, scope) : undefined }
    const limit = page?.limit || defaultLimit
    const previous = page?.cursor ? parseCursor(page.cursor) : undefined
    const wanted = { limit: limit + 1, offset: page?.offset ?? 0, after: previous?.key }

    const [members, totalCount] = await Promise.all([
      ctx.reads.run(() => listMemberKeys(ctx.db, filter, wanted), caller.userId),
      previous?.totalCount ?? ctx.reads.run(() => countMembers(ctx.db, filter), caller.userId),
    ])
    const shown = members.slice(0, limit)
    const hasMore = members.length > limit
    const last = shown.at(-1)
    const nextCursor = hasMore && last ? encodeCursor([last.nameKey, last.login, last.userId, totalCount]) : ''
    const ids = shown.map(({ userId }) => userId)
    const profiles = [...(await findProfiles(ctx.accounts, ids)).values()]
    return {
      members: inOrderOfIds(ids, profiles, ({ user }) => user?.id ?? '').map((profile) =>
        toDirectoryMember(profile, policy),
      ),
      page: { totalCount, hasMore, nextCursor },
    }
  }
}

/** The key of the last member on the previous page, and the total. */
function parseCursor(cursor: string): { key: MemberKey; totalCount: bigint } {
  const [nameKey, login, userId, total = '', ...rest] = decodeCursor(cursor)
  if (nameKey === undefined || login === undefined || userId === undefined || rest.length > 0) throw badCursor()
  if (!/^\d{1,18}$/.test(total) || `${nameKey}${login}${userId}`.includes('\0')) throw badCursor()
  return { key: { nameKey, login, userId }, totalCount: BigInt(total) }
}
