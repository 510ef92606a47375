import type { MethodImpl } from '@connectrpc/connect'
import type { AdminServerService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { normaliseBlockedUsernames } from '../../domain/blocked-usernames.ts'
import { blockedUsernamesChanged } from '../../domain/server-events.ts'
import { countServerChange } from '../../metrics.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { listBlockedUsernames, replaceBlockedUsernames } from '../../store/blocked-usernames.ts'
import { changeServer } from '../../store/server-changes.ts'

export function updateBlockedUsernames(
  ctx: Context,
): MethodImpl<typeof AdminServerService.method.updateBlockedUsernames> {
  return async (req, call) => {
    const caller = callerOf(call)
    assertMay(ctx.policy.current(), caller, 'server.manage')
    const wanted = normaliseBlockedUsernames(req.blockedUsernames)
    const by = { actorId: caller.userId, at: ctx.now() }
    const { entries } = await changeServer(ctx.db, by, async (tx) => {
      const before = new Set(await listBlockedUsernames(tx))
      const added = wanted.filter((username) => !before.has(username)).length
      const removed = before.size + added - wanted.length
      if (added + removed === 0) return undefined
      await replaceBlockedUsernames(tx, wanted)
      return { events: () => [blockedUsernamesChanged(added, removed)] }
    })
    if (entries.length > 0) countServerChange('blocked usernames')
    ctx.relay.wake(entries)
    return { blockedUsernames: wanted }
  }
}
