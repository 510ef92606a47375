import { createClient, type Transport } from '@connectrpc/connect'
import type { User } from '@parley/contracts/api'
import { AccountsInternalService } from '@parley/contracts/internal'
import { logger } from '@parley/telemetry'
import { countUnresolvedProfiles } from '../metrics.ts'

const log = logger('profiles')

const idsPerCall = 500
const usualTimeoutMs = 1_000

/** Asks accounts for profiles; unknown ids are left out. */
export const fetchProfiles = (transport: Transport, timeoutMs = usualTimeoutMs) => {
  const accounts = createClient(AccountsInternalService, transport)
  return async (userIds: string[]): Promise<User[]> => {
    const { profiles } = await accounts.getProfiles({ userIds }, { timeoutMs })
    return profiles.flatMap(({ user }) => user ?? [])
  }
}

type Options = { freshMs?: number; keptMs?: number; most?: number; now?: () => number }
type Entry = { user: User; at: number }
type Answer = ReadonlyMap<string, User>

/**
 * Profiles of the people on a page. Kept for seconds, as presence is part of them, and dropped by events of the user; all
 * that is asked for in one turn of the loop goes in one call. While accounts does not answer, older profiles serve and
 * unknown ones are left out: a page is worth more than the names on it.
 */
export class Profiles {
  readonly #fetch: (userIds: string[]) => Promise<User[]>
  readonly #freshMs: number
  readonly #keptMs: number
  readonly #most: number
  readonly #now: () => number
  readonly #entries = new Map<string, Entry>()
  /** By id, the call that will tell; a dropped id is asked for again. */
  readonly #asked = new Map<string, Promise<Answer>>()
  #gathering: { ids: string[]; answer: Promise<Answer> } | undefined

  constructor(fetch: (userIds: string[]) => Promise<User[]>, options: Options = {}) {
    this.#fetch = fetch
    this.#freshMs = options.freshMs ?? 10_000
    this.#keptMs = options.keptMs ?? 600_000
    this.#most = options.most ?? 50_000
    this.#now = options.now ?? (() => performance.now())
  }

  /** The profiles that are known, by id. */
  async get(userIds: readonly string[]): Promise<Map<string, User>> {
    const found = new Map<string, User>()
    const since = this.#now()
    const asked = userIds.map(async (id) => {
      const held = this.#entries.get(id)
      const user =
        held && since - held.at < this.#freshMs ? held.user : ((await this.#ask(id)).get(id) ?? this.#older(id))
      if (user) found.set(id, user)
    })
    await Promise.all(asked)
    return found
  }

  /** A profile changed. */
  drop(userId: string): void {
    this.#entries.delete(userId)
    this.#asked.delete(userId)
  }

  /** Changes may have been missed. */
  clear(): void {
    this.#entries.clear()
    this.#asked.clear()
  }

  #older(id: string): User | undefined {
    const held = this.#entries.get(id)
    return held && this.#now() - held.at < this.#keptMs ? held.user : undefined
  }

  #ask(id: string): Promise<Answer> {
    const asked = this.#asked.get(id)
    if (asked) return asked
    const gathering = (this.#gathering ??= this.#gather())
    gathering.ids.push(id)
    this.#asked.set(id, gathering.answer)
    return gathering.answer
  }

  #gather() {
    const ids: string[] = []
    const answer: Promise<Answer> = new Promise((resolve) => {
      setImmediate(() => {
        this.#gathering = undefined
        resolve(this.#fetchAll(ids))
      })
    })
    void answer.then((users) => this.#keep(ids, users, answer))
    return { ids, answer }
  }

  async #fetchAll(ids: readonly string[]): Promise<Answer> {
    const unique = [...new Set(ids)]
    const chunks = Array.from({ length: Math.ceil(unique.length / idsPerCall) }, (_, index) =>
      unique.slice(index * idsPerCall, (index + 1) * idsPerCall),
    )
    const answers = await Promise.allSettled(chunks.map((chunk) => this.#fetch(chunk)))
    return new Map(
      answers.flatMap((answer, index) => {
        if (answer.status === 'fulfilled') return answer.value.map((user) => [user.id, user] as const)
        countUnresolvedProfiles(chunks[index]?.length ?? 0)
        log.warn({ err: answer.reason }, 'profiles are shown as they were, or left out')
        return []
      }),
    )
  }

  #keep(ids: readonly string[], users: Answer, answer: Promise<Answer>): void {
    const at = this.#now()
    for (const id of ids) {
      if (this.#asked.get(id) !== answer) continue
      this.#asked.delete(id)
      const user = users.get(id)
      if (user) this.#put(id, user, at)
    }
  }

  #put(id: string, user: User, at: number): void {
    this.#entries.delete(id)
    this.#entries.set(id, { user, at })
    if (this.#entries.size <= this.#most) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }
}
