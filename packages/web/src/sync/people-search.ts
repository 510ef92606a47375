import type { MemberClient } from '@parley/client'
import type { User } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'
import { foundIn } from '../store/search.ts'

const pauseMs = 150
const mostShown = 20

/** Finds people while their name is typed; only the newest question is answered. */
export class PeopleSearch {
  readonly found = new Cell<readonly User[]>([])
  readonly #server: MemberClient
  #latestQuery = 0

  constructor(server: MemberClient) {
    this.#server = server
  }

  async ask(search: string): Promise<void> {
    const query = ++this.#latestQuery
    // Until the response arrives, filter the previous results by the new words, so that no wrong person is chosen.
    const words = ({ displayName, login }: User) => `${displayName} ${login}`
    this.found.update((known) => foundIn(known, search, words))
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    if (query !== this.#latestQuery) return
    const request = { search: search.trim(), page: { limit: mostShown } }
    const answer = await this.#server.api.user.listUsers(request).catch(() => undefined)
    if (answer && query === this.#latestQuery) this.found.set(answer.users.flatMap(({ user }) => user ?? []))
  }
}
