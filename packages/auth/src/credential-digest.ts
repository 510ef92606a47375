import { createHmac } from 'node:crypto'

/**
 * What is stored and looked up instead of a credential: 32 bytes, HMAC-SHA256 under `core.secret_key` of the purpose, a NUL
 * and the bearer token or cookie handle.
 */
export function credentialDigest(secretKey: string, token: string): Buffer {
  return createHmac('sha256', secretKey).update('credential\0').update(token).digest()
}
