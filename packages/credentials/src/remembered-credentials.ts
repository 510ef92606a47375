import { LRUCache } from 'lru-cache'
import type { CredentialDigests } from './credential-digest.ts'

const defaultMaxEntries = 50_000

/**
 * Remembers which credentials were valid at their last check, without their owners. The limit for networks that send
 * too many invalid credentials exempts these, so that it locks out nobody who was signed in before.
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
