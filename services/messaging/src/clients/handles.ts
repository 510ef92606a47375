import { createClient, type Transport } from '@connectrpc/connect'
import { AccountsInternalService } from '@parley/contracts/internal'
import { logger } from '@parley/telemetry'
import type { MentionedUser } from '../domain/mentions/mentioned.ts'
import { countUnresolvedHandles } from '../metrics.ts'

const log = logger('handles')

const handlesPerCall = 100
const usualTimeoutMs = 200

type Found = ReadonlyMap<string, MentionedUser>

/** Asks accounts for the users behind handles; those of roles and of nobody are left out. */
export const fetchHandles = (transport: Transport, timeoutMs = usualTimeoutMs) => {
  const accounts = createClient(AccountsInternalService, transport)
  return async (handles: readonly string[]): Promise<Found> => {
    const { entries } = await accounts.resolveHandles({ handles: [...handles] }, { timeoutMs })
    return new Map(
      entries.flatMap(({ handle, owner }) => (owner.case === 'user' ? [[handle, owner.value] as const] : [])),
    )
  }
}

type Options = { foundMs?: number; missedMs?: number; most?: number; now?: () => number }
type Entry = { user: MentionedUser | undefined; until: number }

/** The users behind handles, remembered for a minute, and that there is none for a few seconds. */
export class Handles {
  readonly #fetch: (handles: readonly string[]) => Promise<Found>
  readonly #foundMs: number
  readonly #missedMs: number
  readonly #most: number
  readonly #now: () => number
  readonly #entries = new Map<string, Entry>()
  readonly #asked = new Map<string, Promise<boolean>>()

  constructor(fetch: (handles: readonly string[]) => Promise<Found>, options: Options = {}) {
    this.#fetch = fetch
    this.#foundMs = options.foundMs ?? 60_000
    this.#missedMs = options.missedMs ?? 5_000
    this.#most = options.most ?? 50_000
    this.#now = options.now ?? (() => performance.now())
  }

  /** The users of those handles that have one, by handle; undefined when accounts does not answer in time. */
  async resolve(handles: readonly string[]): Promise<Found | undefined> {
    const since = this.#now()
    const held = (handle: string) => {
      const entry = this.#entries.get(handle)
      return entry && entry.until > since ? entry : undefined
    }
    const missing = handles.filter((handle) => !held(handle))
    const found = new Map(handles.flatMap((handle) => pair(handle, held(handle)?.user)))
    if (missing.length === 0) return found
    const unasked = missing.filter((handle) => !this.#asked.has(handle))
    for (let from = 0; from < unasked.length; from += handlesPerCall) {
      this.#ask(unasked.slice(from, from + handlesPerCall))
    }
    const answered = await Promise.all(missing.flatMap((handle) => this.#asked.get(handle) ?? []))
    if (!answered.every(Boolean)) return undefined
    for (const handle of missing)
      for (const [, user] of pair(handle, this.#entries.get(handle)?.user)) found.set(handle, user)
    return found
  }

  #ask(handles: readonly string[]): void {
    const asked = this.#fetch(handles).then(
      (found) => {
        const now = this.#now()
        for (const handle of handles) {
          const user = found.get(handle)
          this.#put(handle, { user, until: now + (user ? this.#foundMs : this.#missedMs) })
        }
        return true
      },
      (error: unknown) => {
        countUnresolvedHandles(handles.length)
        log.warn({ err: error }, 'mentions are looked up later')
        return false
      },
    )
    for (const handle of handles) this.#asked.set(handle, asked)
    void asked.then(() => handles.forEach((handle) => this.#asked.delete(handle)))
  }

  #put(handle: string, entry: Entry): void {
    this.#entries.delete(handle)
    this.#entries.set(handle, entry)
    if (this.#entries.size <= this.#most) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }
}

const pair = (handle: string, user: MentionedUser | undefined): [string, MentionedUser][] =>
  user ? [[handle, user]] : []
