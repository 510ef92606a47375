import type { ServiceImpl } from '@connectrpc/connect'
import { NotificationPreferencesService } from '@parley/contracts/api'
import { NotificationsInternalService } from '@parley/contracts/internal'
import type { ServiceRoutes } from '@parley/rpc'
import type { Context } from '../context.ts'
import { getPreferences } from './internal/get-preferences.ts'
import { getRoomNotificationPreference } from './preferences/get-room-notification-preference.ts'
import { getServerNotificationPreference } from './preferences/get-server-notification-preference.ts'
import { updateRoomNotificationPreference } from './preferences/update-room-notification-preference.ts'
import { updateServerNotificationPreference } from './preferences/update-server-notification-preference.ts'

export const routes = (ctx: Context) => (router: ServiceRoutes) => {
  router.service(NotificationPreferencesService, {
    getServerNotificationPreference: getServerNotificationPreference(ctx),
    updateServerNotificationPreference: updateServerNotificationPreference(ctx),
    getRoomNotificationPreference: getRoomNotificationPreference(ctx),
    updateRoomNotificationPreference: updateRoomNotificationPreference(ctx),
  } satisfies ServiceImpl<typeof NotificationPreferencesService>)
  router.service(NotificationsInternalService, {
    getPreferences: getPreferences(ctx),
  } satisfies ServiceImpl<typeof NotificationsInternalService>)
}
