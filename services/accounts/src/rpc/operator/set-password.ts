import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import * as announcements from '../../domain/announcements.ts'
import { assertPassword } from '../../domain/password.ts'
import { userNotFound } from '../../errors.ts'
import { credentialsEnded } from '../../metrics.ts'
import { endAllOf } from '../../store/credentials.ts'
import { changeUser } from '../../store/user-changes.ts'
import { findUserByLogin } from '../../store/users.ts'

export function setPassword(ctx: Context): MethodImpl<typeof OperatorService.method.setPassword> {
  return async ({ login, password }) => {
    assertPassword(password)
    const user = await findUserByLogin(ctx.db, login)
    if (!user) throw userNotFound(login)
    const passwordHash = await ctx.passwords.hash(password)
    const at = ctx.now()
    const changed = await changeUser(ctx.db, user.id, { actorId: '', at }, async (tx, current) => {
      await endAllOf(tx, user.id, at)
      const end = { credentialIds: [], all: true, reason: 'password_changed' as const }
      return {
        set: { passwordHash, authGeneration: current.authGeneration + 1 },
        announce: () => [announcements.credentialsEnded(user.id, at, end)],
      }
    })
    if (!changed) throw userNotFound(login)
    await ctx.relay.stored(changed.unannounced)
    credentialsEnded(user.id, 'password_changed')
    return { userId: user.id }
  }
}
