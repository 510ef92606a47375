import type { ParleyClient } from '@parley/client'
import type { User } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'
import { gathered } from './gathered.ts'

const mostAtOnce = 100

/** Everybody this page has heard of. */
export class People {
  readonly #known = new Map<string, Cell<User | undefined>>()
  readonly #ask: (userId: string) => void

  constructor(server: ParleyClient) {
    this.#ask = gathered(20, async (ids) => {
      for (let from = 0; from < ids.length; from += mostAtOnce) {
        const userIds = ids.slice(from, from + mostAtOnce)
        const found = await server.api.user.batchGetUsers({ userIds }).catch(() => undefined)
        this.learn(found?.users.flatMap(({ user }) => user ?? []) ?? [])
      }
    })
  }

  /** Somebody; undefined until known. Whoever is not known is asked for. */
  of(userId: string): Cell<User | undefined> {
    let cell = this.#known.get(userId)
    if (!cell) {
      cell = new Cell<User | undefined>(undefined)
      this.#known.set(userId, cell)
      if (userId !== '') {
        const found = cell
        // The page that is being taken in may tell of them in a moment.
        queueMicrotask(() => found.value === undefined && this.#ask(userId))
      }
    }
    return cell
  }

  /** Takes in what an answer tells of people. */
  learn(users: Iterable<User>): void {
    for (const user of users) {
      const cell = this.#known.get(user.id)
      if (cell) cell.set(user)
      else this.#known.set(user.id, new Cell<User | undefined>(user))
    }
  }

  /** Takes back what somebody said of themselves. */
  withoutStatus(userId: string): void {
    this.#known.get(userId)?.update((user) => {
      if (!user) return user
      const { customStatus: _, ...rest } = user
      return rest
    })
  }

  /** Changes what is known of somebody, if anything is. */
  patch(userId: string, change: Partial<User>): void {
    this.#known.get(userId)?.update((user) => user && { ...user, ...change })
  }
}
