import type { MethodImpl } from '@connectrpc/connect'
import { credentialDigest } from '@parley/auth'
import type { AccountsInternalService } from '@parley/contracts/internal'
import { newHandle, newId, newToken } from '@parley/ids'
import type { Context } from '../../context.ts'
import { loginEvent } from '../../domain/announcements.ts'
import { wrongPassword } from '../../errors.ts'
import { signedIn, signInFailed } from '../../metrics.ts'
import { insertCredentials, type NewCredential } from '../../store/credentials.ts'
import { changeUser } from '../../store/user-changes.ts'
import { findUserByEmail, findUserByLogin } from '../../store/users.ts'

const freshForMs = 30 * 60_000

export function passwordLogin(ctx: Context): MethodImpl<typeof AccountsInternalService.method.passwordLogin> {
  return async ({ identifier, password }) => {
    const find = identifier.includes('@') ? findUserByEmail : findUserByLogin
    const user = await find(ctx.db, identifier.trim())
    const fits = await ctx.passwords.fits(password, user?.passwordHash ?? undefined)
    const at = ctx.now()
    if (!user || !fits) {
      signInFailed()
      if (user)
        await changeUser(ctx.db, user.id, { actorId: user.id, at }, async () => ({
          announce: () => [loginEvent(false)],
        }))
      throw wrongPassword()
    }

    const token = newToken('accessToken')
    const cookieHandle = newHandle()
    const signedInUser = await changeUser(ctx.db, user.id, { actorId: user.id, at }, async (tx, current) => {
      // The password may have been changed while this one was being hashed.
      if (current.passwordHash !== user.passwordHash) throw wrongPassword()
      const common = {
        userId: user.id,
        authGeneration: current.authGeneration,
        createdAt: at,
        freshUntil: new Date(at.getTime() + freshForMs),
        expiresAt: new Date(at.getTime() + ctx.config.tokenTtlMs),
      }
      const rows: NewCredential[] = [
        { ...common, id: newId('credential'), kind: 'bearer', digest: credentialDigest(ctx.config.secretKey, token) },
        {
          ...common,
          id: newId('credential'),
          kind: 'cookie',
          digest: credentialDigest(ctx.config.secretKey, cookieHandle),
        },
      ]
      await insertCredentials(tx, rows)
      return { announce: () => [loginEvent(true)] }
    })
    if (!signedInUser) throw wrongPassword()
    ctx.relay.wake(signedInUser.unannounced)
    signedIn(user.id)
    const lifetimeSeconds = Math.floor(ctx.config.tokenTtlMs / 1000)
    return { userId: user.id, login: signedInUser.user.login, token, cookieHandle, lifetimeSeconds }
  }
}
