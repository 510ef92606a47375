import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { newSession } from '../../credentials/new-session.ts'
import { loginEvent } from '../../domain/announcements.ts'
import { wrongPassword } from '../../errors.ts'
import { signedIn, signInFailed } from '../../metrics.ts'
import { insertCredentials, trimCredentials } from '../../store/credentials.ts'
import { changeUser } from '../../store/user-changes.ts'
import { findUserByEmail, findUserByLogin } from '../../store/users.ts'

/** What one account may have at most; the ones that go are those used longest ago. */
const maxCredentials = 1_000

export function passwordLogin(ctx: Context): MethodImpl<typeof AccountsInternalService.method.passwordLogin> {
  return async ({ identifier, password }) => {
    const name = identifier.trim()
    const user = await (name.includes('@') ? findUserByEmail : findUserByLogin)(ctx.db, name)
    const fits = await ctx.passwords.fits(password, user?.passwordHash ?? undefined)
    const at = ctx.now()
    if (!user || !fits) {
      signInFailed()
      // Nobody waits for the note: the time an answer takes must not tell whether the account exists.
      if (user) ctx.aside.run(() => noteFailure(ctx, user.id, at))
      throw wrongPassword()
    }
    const session = newSession(ctx.config, user.id, at)
    const changed = await changeUser(ctx.db, user.id, { actorId: user.id, at }, async (tx, current) => {
      // The password may have been changed while this one was being hashed.
      if (current.passwordHash !== user.passwordHash) throw wrongPassword()
      await insertCredentials(tx, session.rows(current.authGeneration))
      await trimCredentials(tx, user.id, maxCredentials)
      return { announce: () => [loginEvent(true)] }
    })
    if (!changed) throw wrongPassword()
    ctx.relay.wake(changed.unannounced)
    signedIn(user.id)
    const { token, cookieHandle } = session
    const lifetimeSeconds = Math.floor(ctx.config.tokenTtlMs / 1000)
    return { userId: user.id, login: changed.user.login, token, cookieHandle, lifetimeSeconds }
  }
}

async function noteFailure(ctx: Context, userId: string, at: Date): Promise<void> {
  const changed = await changeUser(ctx.db, userId, { actorId: userId, at }, async () => ({
    announce: () => [loginEvent(false)],
  }))
  if (changed) ctx.relay.wake(changed.unannounced)
}
