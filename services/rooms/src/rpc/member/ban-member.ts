import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import type { Tx } from '@parley/postgres'
import { callerOf } from '@parley/rpc'
import { getProfile } from '../../clients/accounts.ts'
import type { Context } from '../../context.ts'
import { toBanReason } from '../../domain/ban-reason.ts'
import { isFactOf, type Change } from '../../domain/room-fact.ts'
import { banEndsInThePast } from '../../errors.ts'
import { makeChange } from '../../engines/delivery/index.ts'
import { assertCanBan, decideBan } from '../../policy/banning.ts'
import { toPolicyRoom } from '../../policy/standing.ts'
import { findBanVersion, saveBan } from '../../store/bans.ts'
import { changeRoom, saveMemberships, type Changed } from '../../store/changes.ts'
import { summarizeUnapplied } from '../../store/facts.ts'
import type { RoomRow } from '../../store/rows.ts'
import { getRoomWithStanding } from '../../store/rooms.ts'

export function banMember(ctx: Context): MethodImpl<typeof RoomService.method.banMember> {
  return async ({ roomId, userId, reason: untrimmed, expiresAt: until }, call) => {
    const reason = toBanReason(untrimmed)
    const caller = callerOf(call)
    const cause = { actorId: caller.userId, at: ctx.now() }
    const expiresAt = until ? timestampDate(until) : null
    if (expiresAt && expiresAt <= cause.at) throw banEndsInThePast()
    const { room } = await getRoomWithStanding(ctx.db, userId, roomId, caller.userId)
    assertCanBan(ctx.policy.current(), caller, toPolicyRoom(room))
    const target = { userId, roleIds: (await getProfile(ctx.accounts, userId)).roleIds }
    // If messaging has not applied a stored ban yet, this call stores nothing and waits until messaging has.
    const stored = await findBanVersion(ctx.db, roomId, userId)
    const repeated = stored !== undefined && (await summarizeUnapplied(ctx.db, roomId, stored)) !== undefined

    async function write(tx: Tx, room: RoomRow): Promise<Changed> {
      const change: Change = { case: 'banned', value: { userId, ...(until && { expiresAt: until }) } }
      const changed = await changeRoom(tx, room, change, cause)
      const { version } = changed.room
      const id = changed.facts[0]?.eventId ?? ''
      await saveBan(tx, { id, roomId, userId, moderatorId: caller.userId, reason, expiresAt, version, at: cause.at })
      await saveMemberships(tx, [{ roomId, userId, member: false, version, since: cause.at }])
      return changed
    }

    await makeChange(
      ctx,
      {
        roomId,
        userId,
        cause,
        decide: ({ room, standing }) => {
          if (repeated && standing.banned) return 'nothing'
          return decideBan(ctx.policy.current(), caller, toPolicyRoom(room), target, standing)
        },
        isAbout: isFactOf(['banned'], userId),
        write,
      },
      call,
    )
    return { banned: true }
  }
}
