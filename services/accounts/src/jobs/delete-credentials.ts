import type { Context } from '../context.ts'
import { sessionsRevoked } from '../domain/announcements.ts'
import { deleteEnded, deleteExpiredOf, usersWithExpired } from '../store/end-credentials.ts'
import { changeUser } from '../store/user-changes.ts'

const batchSize = 1_000
const keepEndedMs = 24 * 3600_000

/** Deletes credentials that were ended at least a day ago. Deletes expired credentials and announces their end. */
export async function deleteCredentials(ctx: Pick<Context, 'db' | 'now'>, signal: AbortSignal): Promise<void> {
  const { db } = ctx
  const at = ctx.now()
  while ((await deleteEnded(db, new Date(at.getTime() - keepEndedMs), batchSize)) === batchSize) signal.throwIfAborted()
  for (;;) {
    const users = await usersWithExpired(db, at, batchSize)
    for (const userId of users) {
      signal.throwIfAborted()
      const changed = await changeUser(db, userId, { actorId: '', at }, async (tx) => {
        const credentialIds = await deleteExpiredOf(tx, userId, at)
        if (credentialIds.length === 0) return undefined
        return { announce: () => [sessionsRevoked(credentialIds)] }
      })
      // Undefined: the account was deleted, so there is nobody to notify.
      if (!changed) await deleteExpiredOf(db, userId, at)
    }
    if (users.length < batchSize) return
  }
}
