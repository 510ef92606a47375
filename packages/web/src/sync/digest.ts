import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** SHA-256 of what is fed to it piece by piece; `hex` ends it. */
export function newDigest(): { update(bytes: Uint8Array): void; hex(): string } {
  const digest = sha256.create()
  return { update: (bytes) => void digest.update(bytes), hex: () => bytesToHex(digest.digest()) }
}
