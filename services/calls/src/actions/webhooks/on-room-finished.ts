import { endWhenEmpty } from './end-when-empty.ts'
import { applyOnce, type CallWebhook } from './call-webhook.ts'

/**
 * The call ends, unless somebody has joined since or is connected to a newer room of the call; then it is compared with
 * the media server.
 */
export async function onRoomFinished(webhook: CallWebhook, mediaRoomSid: string, closedAt: Date): Promise<void> {
  const outcome = await applyOnce(webhook, [], (call) => call.closeMediaRoom(mediaRoomSid, closedAt))
  if (typeof outcome === 'object' && outcome.result) await endWhenEmpty(webhook)
}
