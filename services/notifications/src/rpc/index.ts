import type { ServiceImpl } from '@connectrpc/connect'
import { NotificationsInternalService } from '@parley/contracts/internal'
import type { ServiceRoutes } from '@parley/rpc'
import type { Context } from '../context.ts'
import { getPreferences } from './internal/get-preferences.ts'

export const routes = (ctx: Context) => (router: ServiceRoutes) => {
  router.service(NotificationsInternalService, {
    getPreferences: getPreferences(ctx),
  } satisfies ServiceImpl<typeof NotificationsInternalService>)
}
