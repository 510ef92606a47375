import type { Connection } from '../../domain/connection.ts'
import { endWhenEmpty } from './end-when-empty.ts'
import { applyOnce, type CallWebhook } from './call-webhook.ts'

export async function onDisconnected(webhook: CallWebhook, userId: string, connection: Connection): Promise<void> {
  const outcome = await applyOnce(webhook, [userId], (call) => {
    call.applyConnection(userId, { ...connection, disconnected: true })
    return call.presentParticipants().length === 0
  })
  if (typeof outcome === 'object' && outcome.result) await endWhenEmpty(webhook)
}
