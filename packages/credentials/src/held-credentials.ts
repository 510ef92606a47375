import { LRUCache } from 'lru-cache'
import type { CredentialDigests } from './credential-digest.ts'

const mostKept = 50_000

/**
 * Which credentials held when they were last looked at, without who they stand for: a network that sends too many that do
 * not hold must not keep out people who were let in before.
 */
export class HeldCredentials {
  readonly #digests: LRUCache<string, true>

  constructor(most = mostKept) {
    this.#digests = new LRUCache({ max: most })
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
