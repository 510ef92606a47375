import type { ParleyClient } from '@parley/client'
import type { User } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'

const pauseMs = 150
const mostShown = 20

/** Finds people while their name is typed; only the newest question is answered. */
export class PeopleSearch {
  readonly found = new Cell<readonly User[]>([])
  readonly #server: ParleyClient
  #asked = 0

  constructor(server: ParleyClient) {
    this.#server = server
  }

  async ask(search: string): Promise<void> {
    const asked = ++this.#asked
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    if (asked !== this.#asked) return
    const request = { search: search.trim(), page: { limit: mostShown } }
    const answer = await this.#server.api.user.listUsers(request).catch(() => undefined)
    if (answer && asked === this.#asked) this.found.set(answer.users.flatMap(({ user }) => user ?? []))
  }
}
