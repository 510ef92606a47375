import { ServerImageKind } from '@parley/contracts/internal'
import { setAvatar } from '../accounts/set-avatar.ts'
import type { Context } from '../../context.ts'
import { logAvatarFailure } from '../../metrics.ts'
import { findUsers } from '../../store/users.ts'

/** Longer than usual, because the service `uploads` fetches the image from another server. */
const callOptions = { timeoutMs: 20_000 }

/** Does nothing if the account has an avatar. Never rejects; failures are logged. */
export async function importAvatar(ctx: Context, userId: string, url: string): Promise<void> {
  try {
    const [user] = await findUsers(ctx.db, [userId])
    if (user?.avatarKey !== null) return
    const image = { url, kind: ServerImageKind.AVATAR, ownerId: userId }
    const { key } = await ctx.uploads.importServerImage(image, callOptions)
    await setAvatar(ctx, userId, key, { onlyIfNone: true })
  } catch (error) {
    logAvatarFailure(userId, error)
  }
}
