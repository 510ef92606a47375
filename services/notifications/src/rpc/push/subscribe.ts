import type { MethodImpl } from '@connectrpc/connect'
import type { PushNotificationService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import {
  badAuth,
  badP256dh,
  pushIsOff,
  sessionEnded,
  toAuth,
  toP256dh,
  parseAllowedEndpoint,
} from '../../engines/push/index.ts'
import { deleteSubscription, upsertSubscription } from '../../store/push-subscriptions.ts'

export function subscribe({
  db,
  push,
  now,
  isCredentialValid,
}: Context): MethodImpl<typeof PushNotificationService.method.subscribe> {
  return async (req, call) => {
    const { userId, credentialId } = callerOf(call)
    if (!push.enabled) throw pushIsOff()
    const endpoint = parseAllowedEndpoint(req.endpoint, push.network)
    const p256dh = toP256dh(req.p256dh)
    if (p256dh === undefined) throw badP256dh()
    const auth = toAuth(req.auth)
    if (auth === undefined) throw badAuth()
    const subscription = { userId, credentialId, endpoint, p256dh, auth, userAgent: req.userAgent, registeredAt: now() }
    const { isKnown } = await db.transaction((tx) => upsertSubscription(tx, subscription))
    // The event about the end of the session may have arrived before there was a subscription to delete.
    const isValid = await isCredentialValid(credentialId).catch(async (error: unknown) => {
      if (!isKnown) await deleteSubscription(db, userId, endpoint)
      throw error
    })
    if (!isValid) {
      await deleteSubscription(db, userId, endpoint)
      throw sessionEnded()
    }
    return { subscribed: true }
  }
}
