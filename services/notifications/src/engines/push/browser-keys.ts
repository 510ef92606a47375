import { ECDH } from 'node:crypto'

const base64url = /^[\w-]+={0,2}$/

function bytesOf(text: string): Buffer | undefined {
  return base64url.test(text) ? Buffer.from(text, 'base64url') : undefined
}

/** Returns the key without padding; undefined if it is not an uncompressed point on P-256 as base64url. */
export function toP256dh(text: string): string | undefined {
  const point = bytesOf(text)
  if (point?.length !== 65 || point[0] !== 4) return undefined
  try {
    ECDH.convertKey(point, 'prime256v1')
    return point.toString('base64url')
  } catch {
    return undefined
  }
}

/** Returns the secret without padding; undefined if it is not 16 bytes as base64url. */
export function toAuth(text: string): string | undefined {
  const secret = bytesOf(text)
  return secret?.length === 16 ? secret.toString('base64url') : undefined
}
