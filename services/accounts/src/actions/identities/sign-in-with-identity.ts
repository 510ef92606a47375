import type { MessageInitShape } from '@bufbuild/protobuf'
import type { NewSessionSchema } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { openSession, type OpenedSession } from '../credentials/open-session.ts'
import { loginEvent } from '../../domain/announcements.ts'
import { reportSignIn } from '../../metrics.ts'
import type { ProviderIdentity } from '../../domain/provider.ts'
import { findIdentity } from '../../store/external-identities.ts'
import { changeUser } from '../../store/user-changes.ts'

/** Undefined if the identity is linked to no account. Throws `permission_denied` if the account is deactivated. */
export async function signInWithIdentity(
  ctx: Context,
  identity: ProviderIdentity,
  userAgent: string,
): Promise<MessageInitShape<typeof NewSessionSchema> | undefined> {
  const linked = await findIdentity(ctx.db, identity)
  if (!linked) return undefined
  const { userId } = linked
  const at = ctx.now()
  let session: OpenedSession | undefined
  const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async (tx, user) => {
    // The identity may have been unlinked before the account was locked.
    if ((await findIdentity(tx, identity))?.userId !== userId) return undefined
    const opened = await openSession(tx, ctx.config, user, at, { kinds: ['cookie'], userAgent })
    session = opened
    return { announce: () => [loginEvent(true), ...opened.announcements] }
  })
  if (!changed || !session) return undefined
  ctx.relay.wake(changed.unrelayed)
  reportSignIn(userId)
  const { login, displayName } = changed.user
  const { cookieHandle, lifetimeSeconds } = session
  return { userId, login, displayName: displayName ?? login, cookieHandle, lifetimeSeconds }
}
