import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import * as announcements from '../../domain/announcements.ts'
import { tooManyAtOnce, unknownEndReason } from '../../errors.ts'
import { reportCredentialsEnded } from '../../metrics.ts'
import { endByDigest, usersOfDigests, type EndedCredential } from '../../store/end-credentials.ts'
import { changeUser } from '../../store/user-changes.ts'

const maxDigests = 10

/** In the audit log, ending a browser session is a logout, and ending a bearer token is a revocation. */
const auditEventsOf = (ended: EndedCredential[]) =>
  ended.map(({ id, kind }) =>
    announcements.auditEvent(kind === 'cookie' ? 'logout_succeeded' : 'bearer_token_revoked', { credential_id: id }),
  )

export function endCredentials(ctx: Context): MethodImpl<typeof AccountsInternalService.method.endCredentials> {
  return async (request) => {
    const { reason } = request
    if (request.digests.length > maxDigests) throw tooManyAtOnce('digests', maxDigests)
    if (!announcements.isEndReason(reason)) throw unknownEndReason(reason)
    const digests = request.digests.map((digest) => Buffer.from(digest))

    const endCredentialsOf = async (userId: string): Promise<string[]> => {
      const at = ctx.now()
      let credentialIds: string[] = []
      const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx) => {
        const ended = await endByDigest(tx, userId, digests, at)
        if (ended.length === 0) return undefined
        credentialIds = ended.map(({ id }) => id)
        const end = { credentialIds, all: false, reason }
        return { announce: () => [...auditEventsOf(ended), announcements.credentialsEnded(userId, at, end)] }
      })
      if (changed) await ctx.relay.waitUntilStored(changed.unrelayed)
      if (changed?.isChanged) reportCredentialsEnded(userId, reason)
      return credentialIds
    }
    const idsByUser = await Promise.all((await usersOfDigests(ctx.db, digests)).map(endCredentialsOf))
    return { credentialIds: idsByUser.flat() }
  }
}
