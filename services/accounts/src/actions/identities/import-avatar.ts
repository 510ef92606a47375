import { ServerImageKind } from '@parley/contracts/internal'
import { setAvatar } from '../accounts/set-avatar.ts'
import type { Context } from '../../context.ts'
import { avatarNotImported } from '../../metrics.ts'
import { findUsers } from '../../store/users.ts'

/** Uploads fetches it from elsewhere, which takes its time. */
const options = { timeoutMs: 20_000 }

/** Gives an account without an avatar the one it has at a provider. Nobody waits for it, and failing does no harm. */
export async function importAvatar(ctx: Context, userId: string, url: string): Promise<void> {
  try {
    const [user] = await findUsers(ctx.db, [userId])
    if (user?.avatarKey !== null) return
    const image = { url, kind: ServerImageKind.AVATAR, ownerId: userId }
    const { key } = await ctx.uploads.importServerImage(image, options)
    await setAvatar(ctx, userId, key, { onlyIfNone: true })
  } catch (error) {
    avatarNotImported(userId, error)
  }
}
