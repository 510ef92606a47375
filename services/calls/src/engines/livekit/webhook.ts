import { createHash, timingSafeEqual } from 'node:crypto'
import { TokenVerifier, WebhookEvent } from 'livekit-server-sdk'
import type { LivekitSettings } from '@parley/config'

export async function isSigned(
  { webhookKeys }: LivekitSettings,
  body: Buffer,
  authorization: string | undefined,
): Promise<boolean> {
  if (!authorization) return false
  const checksum = createHash('sha256').update(body).digest()
  for (const { key, secret } of webhookKeys) {
    const claims = await new TokenVerifier(key, secret).verify(authorization).catch(() => undefined)
    if (claims === undefined) continue
    const claimed = Buffer.from(typeof claims.sha256 === 'string' ? claims.sha256 : '', 'base64')
    if (claimed.length === checksum.length && timingSafeEqual(claimed, checksum)) return true
  }
  return false
}

export function readWebhook(body: Buffer): WebhookEvent | undefined {
  try {
    return WebhookEvent.fromJsonString(body.toString('utf8'), { ignoreUnknownFields: true })
  } catch {
    return undefined
  }
}
