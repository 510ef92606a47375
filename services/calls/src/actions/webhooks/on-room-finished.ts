import { endWhenEmpty } from './end-when-empty.ts'
import { applyOnce, type CallWebhook } from './call-webhook.ts'

/** The media server closed its room, which ends the call unless it has since opened another room for the same call. */
export async function onRoomFinished(webhook: CallWebhook, mediaRoomSid: string, closedAt: Date): Promise<void> {
  const outcome = await applyOnce(webhook, [], (call) => call.closeMediaRoom(mediaRoomSid, closedAt))
  if (typeof outcome === 'object' && outcome.result) await endWhenEmpty(webhook)
}
