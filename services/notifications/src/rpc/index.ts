import { parkedEventsService } from '@parley/events'
import { handlersOf } from '@parley/rpc'
import type { Context } from '../context.ts'
import { getPreferences } from './internal/get-preferences.ts'
import { batchGetNotifications } from './notification/batch-get-notifications.ts'
import { dismissAllNotifications } from './notification/dismiss-all-notifications.ts'
import { dismissNotification } from './notification/dismiss-notification.ts'
import { getNotification } from './notification/get-notification.ts'
import { hasNotifications } from './notification/has-notifications.ts'
import { listNotifications } from './notification/list-notifications.ts'
import { listRoomNotificationCounts } from './notification/list-room-notification-counts.ts'
import { listRoomNotifications } from './notification/list-room-notifications.ts'
import { getRoomNotificationPreference } from './preferences/get-room-notification-preference.ts'
import { getServerNotificationPreference } from './preferences/get-server-notification-preference.ts'
import { updateRoomNotificationPreference } from './preferences/update-room-notification-preference.ts'
import { updateServerNotificationPreference } from './preferences/update-server-notification-preference.ts'
import { subscribe } from './push/subscribe.ts'
import { unsubscribe } from './push/unsubscribe.ts'
import { requeueJobs } from '../store/jobs.ts'

export const routes = (ctx: Context) =>
  handlersOf('notifications', {
    NotificationService: {
      listNotifications: listNotifications(ctx),
      getNotification: getNotification(ctx),
      batchGetNotifications: batchGetNotifications(ctx),
      listRoomNotifications: listRoomNotifications(ctx),
      listRoomNotificationCounts: listRoomNotificationCounts(ctx),
      hasNotifications: hasNotifications(ctx),
      dismissNotification: dismissNotification(ctx),
      dismissAllNotifications: dismissAllNotifications(ctx),
    },
    NotificationPreferencesService: {
      getServerNotificationPreference: getServerNotificationPreference(ctx),
      updateServerNotificationPreference: updateServerNotificationPreference(ctx),
      getRoomNotificationPreference: getRoomNotificationPreference(ctx),
      updateRoomNotificationPreference: updateRoomNotificationPreference(ctx),
    },
    PushNotificationService: {
      subscribe: subscribe(ctx),
      unsubscribe: unsubscribe(ctx),
    },
    NotificationsInternalService: {
      getPreferences: getPreferences(ctx),
    },
    NotificationsParkedEventsService: parkedEventsService(ctx.db, { jobs: requeueJobs }),
  })
