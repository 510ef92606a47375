import type { User } from '@parley/client/contract'

type Change = (user: User) => User

/** Changes that events have reported since a request was sent, by user id and in their order. */
export type Changes = ReadonlyMap<string, readonly Change[]>

/**
 * Remembers what events report about people while responses are awaited. A response may contain older data, and no
 * version tells which is newer: the reported changes must be applied to the response, too.
 */
export class ChangesDuringRequests {
  readonly #requests = new Set<Map<string, Change[]>>()

  /** Runs a request. Until it ends, reported changes are added to `changes`. */
  async trackDuring<T>(request: (changes: Changes) => Promise<T>): Promise<T> {
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

export const withChanges = (user: User, changes: Changes | undefined): User =>
  (changes?.get(user.id) ?? []).reduce((changed, change) => change(changed), user)
