import type { MethodImpl } from '@connectrpc/connect'
import type { OperatorService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { endEverything } from '../../credentials/end-everything.ts'
import { noted } from '../../domain/announcements.ts'
import { assertPassword } from '../../domain/password.ts'
import { userNotFound } from '../../errors.ts'
import { credentialsEnded } from '../../metrics.ts'
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
      const end = await endEverything(tx, current, 'password_changed', at)
      return {
        set: { ...end.set, passwordHash },
        announce: (version) => [noted('user_password_hash_changed'), ...end.announce(version)],
      }
    })
    if (!changed) throw userNotFound(login)
    await ctx.relay.stored(changed.unannounced)
    credentialsEnded(user.id, 'password_changed')
    return { userId: user.id }
  }
}
