import { LRUCache } from 'lru-cache'
import type { CredentialDigests } from './credential-digest.ts'

const defaultMaxEntries = 50_000

/**
 * Remembers the digests of credentials that were valid at their last check. The limit on invalid credentials of a
 * network exempts them, so that nobody who was signed in is locked out.
 */
export class RememberedCredentials {
  readonly #digests: LRUCache<string, true>

  constructor(maxEntries = defaultMaxEntries) {
    this.#digests = new LRUCache({ max: maxEntries })
  }

  has({ digest, previous }: CredentialDigests): boolean {
    return this.#digests.has(keyOf(digest)) || (previous !== undefined && this.#digests.has(keyOf(previous)))
  }

  record(digest: Buffer, isValid: boolean): void {
    const key = keyOf(digest)
    if (isValid) this.#digests.set(key, true)
    else this.#digests.delete(key)
  }
}

const keyOf = (digest: Buffer): string => digest.toString('latin1')
