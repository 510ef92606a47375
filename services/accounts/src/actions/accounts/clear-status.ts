import type { Context } from '../../context.ts'
import { customStatusCleared, type Cause } from '../../domain/profile-announcements.ts'
import { changeUser, type Changed } from '../../store/user-changes.ts'
import type { UserRow } from '../../store/users.ts'

const noStatus = { statusEmoji: null, statusText: null, statusExpiresAt: null }

export async function clearStatus(
  ctx: Pick<Context, 'db' | 'relay'>,
  userId: string,
  cause: Cause,
  shouldClear: (user: UserRow) => boolean = () => true,
): Promise<Changed | undefined> {
  const changed = await changeUser(ctx.db, userId, cause, async (_, user) =>
    user.statusEmoji !== null && shouldClear(user)
      ? { set: noStatus, announce: () => [customStatusCleared(userId, cause)] }
      : undefined,
  )
  if (changed) ctx.relay.wake(changed.unrelayed)
  return changed
}
