import type { User } from '@parley/client/contract'

type Change = (user: User) => User

/** Changes of people that events reported since a request was sent, in their order. */
export type Changes = ReadonlyMap<string, readonly Change[]>

/**
 * Remembers what events report about people while responses are awaited. A response may have been read before the
 * change and arrive after its event; without a version in either, the page could not tell which of them is newer.
 */
export class ChangesDuringRequests {
  readonly #requests = new Set<Map<string, Change[]>>()

  /** Runs a request; `changes` grows until it ends. */
  async during<T>(request: (changes: Changes) => Promise<T>): Promise<T> {
    const changes = new Map<string, Change[]>()
    this.#requests.add(changes)
    try {
      return await request(changes)
    } finally {
      this.#requests.delete(changes)
    }
  }

  record(userId: string, change: Change): void {
    for (const changes of this.#requests) changes.set(userId, [...(changes.get(userId) ?? []), change])
  }
}

/** A user from a response, as of the events received since the request was sent. */
export const withChanges = (user: User, changes: Changes | undefined): User =>
  (changes?.get(user.id) ?? []).reduce((changed, change) => change(changed), user)
