import type { MethodImpl } from '@connectrpc/connect'
import type { PushNotificationService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { parseEndpoint } from '../../engines/push/index.ts'
import { deleteSubscription } from '../../store/push-subscriptions.ts'

export function unsubscribe({ db }: Context): MethodImpl<typeof PushNotificationService.method.unsubscribe> {
  return async ({ endpoint }, call) => {
    const { userId } = callerOf(call)
    const url = parseEndpoint(endpoint)
    // An invalid URL was never stored, and unsubscribing an unknown endpoint succeeds.
    if (url) await deleteSubscription(db, userId, url)
    return { unsubscribed: true }
  }
}
