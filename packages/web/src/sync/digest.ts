import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** Incremental SHA-256. `hex` returns the digest; call it last. */
export function newDigest(): { update(bytes: Uint8Array): void; hex(): string } {
  const digest = sha256.create()
  return { update: (bytes) => void digest.update(bytes), hex: () => bytesToHex(digest.digest()) }
}
