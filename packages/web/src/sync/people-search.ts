import type { MemberClient } from '@parley/client'
import type { User } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'
import { searchIn } from '../store/search.ts'
import type { People } from './people.ts'

const pauseMs = 150
const maxShown = 20

/** Only the response to the newest query is used. */
export class PeopleSearch {
  readonly found = new Cell<readonly User[]>([])
  readonly #server: MemberClient
  readonly #people: People
  #latestQuery = 0

  constructor(server: MemberClient, people: People) {
    this.#server = server
    this.#people = people
  }

  async search(search: string): Promise<void> {
    const query = ++this.#latestQuery
    // Until the response arrives, filter the previous results by the new words, so that no wrong person is chosen.
    const words = ({ displayName, login }: User) => `${displayName} ${login}`
    this.found.update((known) => searchIn(known, search, words))
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    if (query !== this.#latestQuery) return
    const users = await this.#request(search.trim()).catch(() => undefined)
    if (users && query === this.#latestQuery) this.found.set(users)
  }

  #request(search: string): Promise<User[]> {
    return this.#people.trackChangesDuring(async (changes) => {
      const response = await this.#server.api.user.listUsers({ search, page: { limit: maxShown } })
      const users = response.users.flatMap(({ user }) => user ?? [])
      this.#people.learn(users, changes)
      return users
    })
  }
}
