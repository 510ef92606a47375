import type { MethodImpl } from '@connectrpc/connect'
import type { AdminInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { getServerProfile } from '../../store/server-profile.ts'

export function getServerImages(ctx: Context): MethodImpl<typeof AdminInternalService.method.getServerImages> {
  return async () => {
    const { logoKey, bannerKey } = await getServerProfile(ctx.db)
    return { logoKey: logoKey ?? '', bannerKey: bannerKey ?? '' }
  }
}
