import { endWhenEmpty } from './end-when-empty.ts'
import { applyOnce, type CallWebhook } from './call-webhook.ts'

/**
 * Ends the call. If somebody has joined since or is connected to a newer room of the call, compares the call with the
 * media server instead.
 */
export async function onRoomFinished(webhook: CallWebhook, mediaRoomSid: string, closedAt: Date): Promise<void> {
  const outcome = await applyOnce(webhook, [], (call) => call.closeMediaRoom(mediaRoomSid, closedAt))
  if (typeof outcome === 'object' && outcome.result) await endWhenEmpty(webhook)
}
