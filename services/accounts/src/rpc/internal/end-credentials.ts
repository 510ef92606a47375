import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import * as announcements from '../../domain/announcements.ts'
import { credentialsEnded } from '../../metrics.ts'
import { endByDigest, usersOfDigests } from '../../store/credentials.ts'
import { changeUser } from '../../store/user-changes.ts'

export function endCredentials(ctx: Context): MethodImpl<typeof AccountsInternalService.method.endCredentials> {
  return async (request) => {
    const digests = request.digests.map((digest) => Buffer.from(digest))
    const at = ctx.now()
    const ended: string[] = []
    for (const userId of (await usersOfDigests(ctx.db, digests)).sort()) {
      const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx) => {
        const credentialIds = await endByDigest(tx, userId, digests, at)
        if (credentialIds.length === 0) return undefined
        ended.push(...credentialIds)
        const end = { credentialIds, all: false, reason: 'logout' as const }
        return { announce: () => [announcements.credentialsEnded(userId, at, end)] }
      })
      if (!changed) continue
      await ctx.relay.stored(changed.unannounced)
      credentialsEnded(userId, 'logout')
    }
    return { credentialIds: ended }
  }
}
