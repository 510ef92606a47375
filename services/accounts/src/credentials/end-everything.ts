import type { Tx } from '@parley/postgres'
import { credentialsEnded, type EndReason } from '../domain/announcements.ts'
import { endAllOf } from '../store/credentials.ts'
import { deleteFlowTokensOf } from '../store/flow-tokens.ts'
import type { Change } from '../store/user-changes.ts'
import type { UserWithRoles } from '../store/users.ts'

/**
 * Ends every credential of a locked account, and voids what was begun with them: links that were mailed, authorization codes.
 * The change is for {@link changeUser}, alone or with more to set and to announce.
 */
export async function endEverything(
  tx: Tx,
  user: UserWithRoles,
  reason: EndReason,
  at: Date,
): Promise<Required<Change>> {
  await endAllOf(tx, user.id, at)
  await deleteFlowTokensOf(tx, user.id)
  const ended = credentialsEnded(user.id, at, { credentialIds: [], all: true, reason })
  return { set: { authGeneration: user.authGeneration + 1 }, announce: () => [ended] }
}
