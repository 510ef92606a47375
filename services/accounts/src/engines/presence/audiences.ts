import type { Client } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'

const askedAtOnce = 50
const timeoutMs = 400
const keptMs = 60_000
const mostKept = 500

type Kept = { others: Promise<readonly string[] | undefined>; until: number }

/** Who has something to do with somebody, as rooms knows it. */
export class Audiences {
  readonly #rooms: Pick<Client<typeof RoomsInternalService>, 'listPresenceAudiences'>
  /** By person; those asked about first come first. */
  readonly #kept = new Map<string, Kept>()

  constructor(rooms: Pick<Client<typeof RoomsInternalService>, 'listPresenceAudiences'>) {
    this.#rooms = rooms
  }

  /** The audiences of these people, by person. One that rooms does not tell is missing. */
  async of(userIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const now = performance.now()
    for (const [userId, { until }] of this.#kept) if (until <= now) this.#kept.delete(userId)
    const missing = userIds.filter((userId) => !this.#kept.has(userId))
    for (let n = 0; n < missing.length; n += askedAtOnce) this.#ask(missing.slice(n, n + askedAtOnce), now + keptMs)
    const held = userIds.map(async (userId) => [userId, await this.#kept.get(userId)?.others] as const)
    while (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value ?? '')
    const found = await Promise.all(held)
    return new Map(found.flatMap(([userId, others]) => (others ? [[userId, others]] : [])))
  }

  #ask(userIds: string[], until: number): void {
    const asked = this.#rooms.listPresenceAudiences({ userIds }, { timeoutMs }).then(
      ({ audiences }) => new Map(audiences.map(({ userId, others }) => [userId, others])),
      () => undefined,
    )
    for (const userId of userIds) {
      const others = asked.then((audiences) => audiences?.get(userId))
      this.#kept.set(userId, { others, until })
      void others.then((known) => known ?? this.#kept.delete(userId))
    }
  }
}
