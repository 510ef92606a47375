import { createHash } from 'node:crypto'
import type { PushSettings } from '@parley/config'
import webPush from 'web-push'

/** What leaves for a push service. */
export type PushRequest = { userId: string; endpoint: URL; headers: Record<string, string>; body: Buffer }

/** A browser as its person registered it. */
export type Browser = { userId: string; endpoint: string; p256dh: string; auth: string }

/** What a push is, apart from who gets it. */
export type PushContent = { payload: string; tag: string; urgency: 'high' | 'normal' }

/** How long a push service keeps a push for a browser that is away. */
export const ttlSeconds = 86_400
const recordBytes = 2048
/** Where the header of aes128gcm tells the size of records, after 16 bytes of salt. */
const recordSizeAt = 16

/** Encrypts a push for its browser and signs it. */
export function toPushRequest(keys: PushSettings, browser: Browser, content: PushContent): PushRequest {
  const { userId, endpoint, p256dh, auth } = browser
  const details = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, content.payload, {
    TTL: ttlSeconds,
    contentEncoding: 'aes128gcm',
    topic: topicOf(content.tag),
    urgency: content.urgency,
    vapidDetails: { subject: keys.subject, publicKey: keys.publicKey, privateKey: keys.privateKey },
  })
  const { body } = details
  if (!body) throw new TypeError('a push without a payload')
  // The library says 4096, whatever it wrote; the one record there is fits this size too, and nothing depends on it.
  body.writeUInt32BE(recordBytes, recordSizeAt)
  const headers = Object.entries<unknown>(details.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  return { userId, endpoint: new URL(endpoint), headers: Object.fromEntries(headers), body }
}

/** A push service keeps the newest push of a topic for a browser that is away: 32 characters that tell nothing. */
const topicOf = (tag: string): string => createHash('sha256').update(tag).digest('base64url').slice(0, 32)
