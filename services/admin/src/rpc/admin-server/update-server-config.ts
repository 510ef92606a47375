import type { MethodImpl } from '@connectrpc/connect'
import type { AdminServerService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { serverUpdated, textChanged } from '../../domain/server-events.ts'
import { findChangedTexts, parseServerTexts } from '../../domain/server-texts.ts'
import { countServerChange } from '../../metrics.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { changeServer } from '../../store/server-changes.ts'
import { toPublicProfile, toServerConfig } from '../../view/server.ts'

export function updateServerConfig(ctx: Context): MethodImpl<typeof AdminServerService.method.updateServerConfig> {
  return async (req, call) => {
    const caller = callerOf(call)
    assertMay(ctx.policy.current(), caller, 'server.manage')
    const wanted = parseServerTexts(req)
    const by = { actorId: caller.userId, at: ctx.now() }
    const { profile, entries } = await changeServer(ctx.db, by, (_tx, before) => {
      const changed = findChangedTexts(before, wanted)
      if (changed.length === 0) return undefined
      return {
        set: wanted,
        events: (after) => [serverUpdated(toPublicProfile(after, ctx.config), after, by), ...changed.map(textChanged)],
      }
    })
    if (entries.length > 0) countServerChange('texts')
    ctx.relay.wake(entries)
    return { config: toServerConfig(profile), publicProfile: toPublicProfile(profile, ctx.config) }
  }
}
