import type { ServiceImpl } from '@connectrpc/connect'
import type { AdminServerService } from '@parley/contracts/admin'
import type { Context } from '../../context.ts'
import { deleteServerBanner } from './delete-server-banner.ts'
import { deleteServerLogo } from './delete-server-logo.ts'
import { getServerConfig } from './get-server-config.ts'
import { getServerSecurityConfig } from './get-server-security-config.ts'
import { updateBlockedUsernames } from './update-blocked-usernames.ts'
import { updateServerConfig } from './update-server-config.ts'
import { uploadServerBanner } from './upload-server-banner.ts'
import { uploadServerLogo } from './upload-server-logo.ts'

export const adminServer = (ctx: Context) =>
  ({
    getServerConfig: getServerConfig(ctx),
    updateServerConfig: updateServerConfig(ctx),
    uploadServerLogo: uploadServerLogo(ctx),
    deleteServerLogo: deleteServerLogo(ctx),
    uploadServerBanner: uploadServerBanner(ctx),
    deleteServerBanner: deleteServerBanner(ctx),
    getServerSecurityConfig: getServerSecurityConfig(ctx),
    updateBlockedUsernames: updateBlockedUsernames(ctx),
  }) satisfies ServiceImpl<typeof AdminServerService>
