import { timingSafeEqual } from 'node:crypto'
import type { ReadHeader } from './presented.ts'
import { secretDigest, secretDigests, type SecretKeys } from './secret-digest.ts'

/**
 * Header that proves to services behind the gateway that the gateway wrote X-Forwarded-For. The gateway drops it from
 * requests of clients.
 */
const proofHeader = 'parley-forwarded-for-proof'
const purpose = 'forwarded-for'

/** The address of a client, and the proof that the gateway wrote it. */
export const forwardedHeaders = (keys: SecretKeys, address: string): Record<string, string> => ({
  'x-forwarded-for': address,
  [proofHeader]: secretDigest(keys, purpose, address).toString('base64url'),
})

/** Whether the gateway wrote this X-Forwarded-For. */
export function isForwardedByGateway(keys: SecretKeys, header: ReadHeader): boolean {
  const proof = header(proofHeader)
  const address = header('x-forwarded-for')
  if (proof === undefined || address === undefined) return false
  const given = Buffer.from(proof, 'base64url')
  return secretDigests(keys, purpose, address).some(
    (expected) => given.length === expected.length && timingSafeEqual(given, expected),
  )
}
