import { endWhenEmpty } from './end-when-empty.ts'
import { applyOnce, type CallWebhook } from './call-webhook.ts'

/**
 * Handles the end of a room at the media server. The call ends, unless somebody has joined since or is connected to a
 * newer room of the call. If it continues, the media server is queried whether anybody is connected.
 */
export async function onRoomFinished(webhook: CallWebhook, mediaRoomSid: string, closedAt: Date): Promise<void> {
  const outcome = await applyOnce(webhook, [], (call) => call.closeMediaRoom(mediaRoomSid, closedAt))
  if (typeof outcome === 'object' && outcome.result) await endWhenEmpty(webhook)
}
