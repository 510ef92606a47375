import type { Context } from '../../context.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { profileUpdated, type Cause } from '../../domain/profile-announcements.ts'
import { changeUser, type Changed } from '../../store/user-changes.ts'
import { avatarUrl } from './avatar-url.ts'

/** The service `uploads` deletes the previous image when it receives the event. */
export async function setAvatar(
  ctx: Context,
  userId: string,
  avatarKey: string | null,
  { onlyIfNone = false } = {},
): Promise<Changed | undefined> {
  const cause: Cause = { actorId: userId, at: ctx.now() }
  const changed = await changeUser(ctx.db, userId, cause, async (_, user) => {
    if (user.avatarKey === avatarKey || (onlyIfNone && user.avatarKey !== null)) return undefined
    const audit = auditEvent(avatarKey === null ? 'user_avatar_cleared' : 'user_avatar_set')
    return {
      set: { avatarKey },
      announce: () => [profileUpdated({ ...user, avatarKey }, avatarUrl(ctx, avatarKey), cause), audit],
    }
  })
  if (changed) ctx.relay.wake(changed.unrelayed)
  return changed
}
