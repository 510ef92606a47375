import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import * as announcements from '../../domain/announcements.ts'
import { tooMany, unknownReason } from '../../errors.ts'
import { credentialsEnded } from '../../metrics.ts'
import { endByDigest, usersOfDigests, type EndedCredential } from '../../store/end-credentials.ts'
import { changeUser } from '../../store/user-changes.ts'

const maxDigests = 10

/** For the audit log: the end of a browser session is a logout, that of a bearer token is a revocation. */
const revocations = (ended: EndedCredential[]) =>
  ended.map(({ id, kind }) =>
    announcements.noted(kind === 'cookie' ? 'logout_succeeded' : 'bearer_token_revoked', { credential_id: id }),
  )

export function endCredentials(ctx: Context): MethodImpl<typeof AccountsInternalService.method.endCredentials> {
  return async (request) => {
    const { reason } = request
    if (request.digests.length > maxDigests) throw tooMany('digests', maxDigests)
    if (!announcements.isEndReason(reason)) throw unknownReason(reason)
    const digests = request.digests.map((digest) => Buffer.from(digest))

    const endSessionsOf = async (userId: string): Promise<string[]> => {
      const at = ctx.now()
      let credentialIds: string[] = []
      const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx) => {
        const ended = await endByDigest(tx, userId, digests, at)
        if (ended.length === 0) return undefined
        credentialIds = ended.map(({ id }) => id)
        const end = { credentialIds, all: false, reason }
        return { announce: () => [...revocations(ended), announcements.credentialsEnded(userId, at, end)] }
      })
      if (changed) await ctx.relay.stored(changed.unannounced)
      if (changed?.announced) credentialsEnded(userId, reason)
      return credentialIds
    }
    const idsOfEach = await Promise.all((await usersOfDigests(ctx.db, digests)).map(endSessionsOf))
    return { credentialIds: idsOfEach.flat() }
  }
}
