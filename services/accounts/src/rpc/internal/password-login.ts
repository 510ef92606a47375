import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { openSession, sessionOptionsOf, type OpenedSession } from '../../actions/credentials/open-session.ts'
import { loginEvent } from '../../domain/announcements.ts'
import { wrongPassword } from '../../errors.ts'
import { reportSignIn, countFailedSignIn } from '../../metrics.ts'
import { changeUser } from '../../store/user-changes.ts'
import { findUserByEmail, findUserByLogin } from '../../store/users.ts'

export function passwordLogin(ctx: Context): MethodImpl<typeof AccountsInternalService.method.passwordLogin> {
  return async ({ identifier, password, ...client }) => {
    const name = identifier.trim()
    const user = await (name.includes('@') ? findUserByEmail : findUserByLogin)(ctx.db, name)
    const isCorrect = await ctx.passwords.matches(password, user?.passwordHash ?? undefined, {
      address: client.clientAddress,
    })
    const at = ctx.now()
    if (!user || !isCorrect) {
      countFailedSignIn()
      // In the background, so that the response time does not reveal whether the account exists.
      if (user) ctx.background(recordFailure(ctx, user.id, at))
      throw wrongPassword()
    }
    let session: OpenedSession | undefined
    const changed = await changeUser(ctx.db, user.id, { actorId: user.id, at }, async (tx, current) => {
      // The password may have been changed while the given one was hashed.
      if (current.passwordHash !== user.passwordHash) throw wrongPassword()
      const opened = (session = await openSession(tx, ctx.config, current, at, sessionOptionsOf(client)))
      return { announce: () => [loginEvent(true), ...opened.announcements] }
    })
    if (!changed || !session) throw wrongPassword()
    ctx.relay.wake(changed.unrelayed)
    reportSignIn(user.id)
    const { token, cookieHandle, lifetimeSeconds } = session
    return { userId: user.id, login: changed.user.login, token, cookieHandle, lifetimeSeconds }
  }
}

async function recordFailure(ctx: Context, userId: string, at: Date): Promise<void> {
  const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async () => ({
    announce: () => [loginEvent(false)],
  }))
  if (changed) ctx.relay.wake(changed.unrelayed)
}
