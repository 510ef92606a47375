import type { Context } from '../../context.ts'
import { customStatusCleared, type Cause } from '../../domain/profile-announcements.ts'
import { changeUser, type Changed } from '../../store/user-changes.ts'
import type { UserRow } from '../../store/users.ts'

const nothing = { statusEmoji: null, statusText: null, statusExpiresAt: null }

/** Clears the custom status of an account if `due` returns true for the stored one, and announces it. */
export async function clearStatus(
  ctx: Pick<Context, 'db' | 'relay'>,
  userId: string,
  cause: Cause,
  due: (user: UserRow) => boolean,
): Promise<Changed | undefined> {
  const changed = await changeUser(ctx.db, userId, cause, async (_, user) =>
    user.statusEmoji !== null && due(user)
      ? { set: nothing, announce: () => [customStatusCleared(userId, cause)] }
      : undefined,
  )
  if (changed) ctx.relay.wake(changed.unannounced)
  return changed
}
