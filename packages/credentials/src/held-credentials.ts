import { LRUCache } from 'lru-cache'
import type { CredentialDigests } from './credential-digest.ts'

const maxKept = 50_000

/**
 * Remembers which credentials were valid at their last check, without their owners. A network that sends too many
 * invalid ones must not lock out people who were signed in before.
 */
export class HeldCredentials {
  readonly #digests: LRUCache<string, true>

  constructor(maxEntries = maxKept) {
    this.#digests = new LRUCache({ max: maxEntries })
  }

  has({ digest, previous }: CredentialDigests): boolean {
    return this.#digests.has(keyOf(digest)) || (previous !== undefined && this.#digests.has(keyOf(previous)))
  }

  note(digest: Buffer, holds: boolean): void {
    const key = keyOf(digest)
    if (holds) this.#digests.set(key, true)
    else this.#digests.delete(key)
  }
}

const keyOf = (digest: Buffer): string => digest.toString('latin1')
