import { createHash } from 'node:crypto'
import type { PushSettings } from '@parley/config'
import webPush from 'web-push'

/** `userId`: the recipient, for the limit on concurrent name look-ups. */
export type PushRequest = { userId: string; endpoint: URL; headers: Record<string, string>; body: Buffer }

export type Browser = { userId: string; endpoint: string; p256dh: string; auth: string }

export type PushContent = { payload: string; tag: string; urgency: 'high' | 'normal' }

export const ttlSeconds = 86_400
const recordBytes = 2048
/** Position of the record size in the header of aes128gcm, after 16 bytes of salt. */
const recordSizeAt = 16

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
  // The library always writes the record size 4096. The only record is shorter than `recordBytes`, and nothing else
  // depends on the record size.
  body.writeUInt32BE(recordBytes, recordSizeAt)
  const headers = Object.entries<unknown>(details.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  return { userId, endpoint: new URL(endpoint), headers: Object.fromEntries(headers), body }
}

/** A push service keeps only the newest push per topic for an offline browser. The hash reveals nothing. */
const topicOf = (tag: string): string => createHash('sha256').update(tag).digest('base64url').slice(0, 32)
