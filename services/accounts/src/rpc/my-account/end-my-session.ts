import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { revokeOtherAccess } from '../../actions/credentials/end-all-access.ts'
import { auditEvent, sessionsRevoked } from '../../domain/announcements.ts'
import { sessionsOf } from '../../domain/sessions.ts'
import { accountGone, oneSessionOrAllOthers, notForOtherClients, sessionEnded } from '../../errors.ts'
import * as metrics from '../../metrics.ts'
import {
  moveToGeneration,
  findCredentialIdsOfSession,
  findCredentialOf,
  listCredentials,
} from '../../store/credentials.ts'
import { endById } from '../../store/end-credentials.ts'
import { changeUser } from '../../store/user-changes.ts'

export function endMySession(ctx: Context): MethodImpl<typeof MyAccountService.method.endMySession> {
  return async ({ sessionId, allOthers }, call) => {
    const { userId, credentialId } = callerOf(call)
    if ((sessionId === '') !== allOthers) throw oneSessionOrAllOthers()
    const at = ctx.now()
    let ended = 0
    const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx, user) => {
      const credential = await findCredentialOf(tx, { userId, credentialId })
      if (!credential) throw sessionEnded()
      // Null only for the credentials of other web clients.
      if (allOthers && credential.freshUntil === null) throw notForOtherClients()
      const sessions = sessionsOf(await listCredentials(tx, user, at))
      const ids = allOthers
        ? sessions.flatMap(({ credentialIds: own }) => (own.includes(credentialId) ? [] : own))
        : await findCredentialIdsOfSession(tx, userId, sessionId)
      const credentialIds = await endById(tx, userId, ids, at)
      const revoked = allOthers ? await revokeOtherAccess(tx, user, { at, removeRecent: true }) : undefined
      if (revoked) {
        // Otherwise the raised auth generation would end the caller's session too.
        const own = sessions.find(({ credentialIds: all }) => all.includes(credentialId))?.credentialIds ?? []
        await moveToGeneration(tx, userId, own, revoked.set.authGeneration)
      } else if (credentialIds.length === 0) return undefined
      ended = sessions.filter((session) => session.credentialIds.some((id) => credentialIds.includes(id))).length
      return {
        ...(revoked && { set: revoked.set }),
        announce: () => [
          ...credentialIds.map((id) => auditEvent('session_revoked', { credential_id: id })),
          ...(credentialIds.length > 0 ? [sessionsRevoked(credentialIds)] : []),
          ...(revoked?.announcements ?? []),
        ],
      }
    })
    if (!changed) throw accountGone()
    await ctx.relay.waitUntilStored(changed.unrelayed)
    if (ended > 0) metrics.reportCredentialsEnded(userId, 'session_revoked')
    return { ended }
  }
}
