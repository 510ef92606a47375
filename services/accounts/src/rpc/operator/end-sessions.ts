import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import { getUserByLogin } from '../../actions/accounts/get-user-by-login.ts'
import { endAllAccess } from '../../actions/credentials/end-all-access.ts'
import { credentialsEnded } from '../../domain/announcements.ts'
import { loginNotFound } from '../../errors.ts'
import * as metrics from '../../metrics.ts'
import type { OperatorContext } from '../../context.ts'
import { listCredentials } from '../../store/credentials.ts'
import { endById } from '../../store/end-credentials.ts'
import { changeUser } from '../../store/user-changes.ts'
import { operatorActorId } from '../../domain/operator-actor.ts'

/** Without ids, ends all access. For operators, the bearer token and the cookie of one sign-in are two sessions. */
export function endSessions(ctx: OperatorContext): MethodImpl<typeof OperatorService.method.endSessions> {
  return async ({ login, sessionIds }) => {
    const user = await getUserByLogin(ctx, login)
    const at = ctx.now()
    let ended = 0
    const changed = await changeUser(ctx.db, user.id, { actorId: operatorActorId, at }, async (tx, current) => {
      if (sessionIds.length === 0) {
        ended = (await listCredentials(tx, current, at)).length
        return endAllAccess(tx, current, 'logout', at)
      }
      const credentialIds = await endById(tx, user.id, sessionIds, at)
      ended = credentialIds.length
      if (ended === 0) return undefined
      return { announce: () => [credentialsEnded(user.id, at, { credentialIds, all: false, reason: 'logout' })] }
    })
    if (!changed) throw loginNotFound(login)
    await ctx.relay.waitUntilStored(changed.unrelayed)
    if (ended > 0) metrics.reportCredentialsEnded(user.id, 'logout')
    return { userId: user.id, ended }
  }
}
