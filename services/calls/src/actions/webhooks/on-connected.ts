import { changeCall, leaveCall } from '../calls/change-call.ts'
import { findAdmitted } from '../calls/find-admitted.ts'
import type { Connection } from '../../domain/connection.ts'
import { applyOnce, queueMediaChore, type CallWebhook } from './call-webhook.ts'

/**
 * Removes the user again if they may not be in the call: the token of the connection may be older than a ban, a
 * deactivation or the end of the call.
 */
export async function onConnected(webhook: CallWebhook, userId: string, connection: Connection): Promise<void> {
  if (!(await isAdmitted(webhook, userId))) return queueMediaChore(webhook, userId)
  const outcome = await applyOnce(webhook, [userId], (call) => call.applyConnection(userId, connection))
  if (outcome === 'ended') return queueMediaChore(webhook, null)
  // If the user was banned after the first check, the event of the ban may have found no participant to remove.
  if (typeof outcome === 'object' && outcome.result && !(await isAdmitted(webhook, userId))) {
    const about = { source: 'livekit', userIds: [userId] } as const
    await changeCall(webhook.ctx, webhook.call.id, about, (call) => leaveCall(call, userId))
  }
}

const isAdmitted = async ({ ctx, call }: CallWebhook, userId: string): Promise<boolean> =>
  (await findAdmitted(ctx, call.roomId, [userId])).has(userId)
