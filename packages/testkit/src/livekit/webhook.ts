import { createHash } from 'node:crypto'
import { AccessToken } from 'livekit-server-sdk'

/** Signs a webhook as LiveKit does: the token contains the checksum of the body. */
export async function signWebhook(
  { apiKey, apiSecret }: { apiKey: string; apiSecret: string },
  body: string,
): Promise<{ body: string; authorization: string }> {
  const token = new AccessToken(apiKey, apiSecret, { ttl: 300 })
  token.sha256 = createHash('sha256').update(body).digest('base64')
  return { body, authorization: await token.toJwt() }
}
