import type { OperatorContext } from '../operator-context.ts'
import { endEverything } from '../credentials/end-everything.ts'
import { noted } from '../domain/announcements.ts'
import { assertPassword } from '../domain/password.ts'
import { userUnknown } from '../errors.ts'
import { credentialsEnded } from '../metrics.ts'
import { changeUser } from '../store/user-changes.ts'
import type { UserWithRoles } from '../store/users.ts'

/** Sets the password of somebody else, and waits until every credential of the account has ended everywhere. */
export async function replacePassword(
  ctx: OperatorContext,
  userId: string,
  password: string,
  actorId: string,
  assertMay: (user: UserWithRoles) => void = () => undefined,
): Promise<void> {
  assertPassword(password)
  const passwordHash = await ctx.passwords.hash(password)
  const at = ctx.now()
  const changed = await changeUser(ctx.db, userId, { actorId, at }, async (tx, user) => {
    assertMay(user)
    const end = await endEverything(tx, user, 'password_changed', at)
    return {
      set: { ...end.set, passwordHash },
      announce: (version) => [noted('user_password_hash_changed'), ...end.announce(version)],
    }
  })
  if (!changed) throw userUnknown()
  await ctx.relay.stored(changed.unannounced)
  credentialsEnded(userId, 'password_changed')
}
