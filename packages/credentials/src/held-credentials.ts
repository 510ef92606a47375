import type { CredentialDigests } from './credential-digest.ts'

const mostKept = 50_000

/**
 * Which credentials held when they were last looked at, without who they stand for: a network that sends too many that do
 * not hold must not keep out people who were let in before.
 */
export class HeldCredentials {
  readonly #most: number
  /** The one looked at longest ago first. */
  readonly #digests = new Set<string>()

  constructor(most = mostKept) {
    this.#most = most
  }

  has({ digest, previous }: CredentialDigests): boolean {
    return this.#digests.has(keyOf(digest)) || (previous !== undefined && this.#digests.has(keyOf(previous)))
  }

  note(digest: Buffer, holds: boolean): void {
    const key = keyOf(digest)
    this.#digests.delete(key)
    if (!holds) return
    this.#digests.add(key)
    const [oldest] = this.#digests
    if (this.#digests.size > this.#most && oldest !== undefined) this.#digests.delete(oldest)
  }
}

const keyOf = (digest: Buffer): string => digest.toString('latin1')
