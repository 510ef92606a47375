import type { Event } from '@parley/contracts/internal'
import { LRUCache } from 'lru-cache'
import { encodeCaller, type Caller } from './caller.ts'
import type { CredentialDigests } from './credential-digest.ts'
import { RememberedCredentials } from './remembered-credentials.ts'

/** A caller with its encoded form for the bus. */
export type KnownCaller = { caller: Caller; encoded: string }

type Entry = KnownCaller & { checkedAt: number }
type Options = {
  /** Resolves to undefined if the credential is unknown. Rejects if the call of accounts fails. */
  authenticate: (digest: Buffer) => Promise<Caller | undefined>
  /** Makes accounts store the credential of the digest `previous` under `digest`. */
  rekey: (entry: { previous: Buffer; digest: Buffer }) => Promise<unknown>
  /** Milliseconds since the last message of the control feed; undefined for a process that does not follow it. */
  feedIdleMs?: () => number
  now?: () => number
  maxEntries?: number
  /** False for a process that gets no revoke events and must not repeat an old answer. */
  cachesCallers?: boolean
}

const maxRekeyings = 100
/** How long a check is valid while the control feed is alive. */
const freshMs = 30_000
/** How long an old check is used if a new one fails, while the control feed is alive. */
const staleMs = 15 * 60_000
/** How long a check is valid without the control feed. */
const freshWithoutFeedMs = 1_000
const maxFeedIdleMs = 3_000

/**
 * Resolves credentials to callers. Results are cached for a short time, and the control feed drops them when a session
 * ends, roles change or the account is deleted; without the control feed they are cached for one second. Concurrent
 * look-ups of one credential share one call. With `cachesCallers: false` each look-up is a call of its own.
 */
export class CallerCache {
  readonly #options: Options
  readonly #now: () => number
  readonly #entries: LRUCache<string, Entry>
  readonly #keysOfUser = new Map<string, Set<string>>()
  /** Used if caching is disabled. */
  readonly #remembered = new RememberedCredentials()
  readonly #rekeying = new Set<string>()
  readonly #pending = new Map<string, Promise<KnownCaller | undefined>>()
  /** Users whose sessions or roles changed during the running look-ups, which therefore do not cache them. */
  readonly #changedMeanwhile = new Set<string>()
  /** Incremented when everything is dropped, so that results of look-ups that began earlier are not cached either. */
  #generation = 0

  constructor(options: Options) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#entries = new LRUCache({
      max: options.maxEntries ?? 50_000,
      dispose: ({ caller }, key) => this.#forgetKey(caller.userId, key),
    })
  }

  /**
   * The caller of a credential; undefined if it is unknown or has expired. If accounts cannot check it, returns an
   * older cached result or rejects.
   */
  async find(digest: Buffer): Promise<KnownCaller | undefined> {
    if (this.#options.cachesCallers === false) return await this.#authenticate(digest)
    const key = digest.toString('latin1')
    const entry = this.#entries.get(key)
    const now = this.#now()
    const isFeedAlive = (this.#options.feedIdleMs?.() ?? Infinity) <= maxFeedIdleMs
    if (entry && now - entry.checkedAt < (isFeedAlive ? freshMs : freshWithoutFeedMs)) return unlessExpired(entry, now)
    try {
      return unlessExpired(await this.#fetch(key, digest), now)
    } catch (error) {
      if (entry && isFeedAlive && this.#entries.get(key) === entry && now - entry.checkedAt < staleMs)
        return unlessExpired(entry, now)
      throw error
    }
  }

  /**
   * Finds the caller of a credential by its current digest or else by its previous one, and returns the digest that was
   * found. A credential found by its previous digest is re-stored under the current one in the background.
   */
  async findByCurrentOrPrevious({
    digest,
    previous,
  }: CredentialDigests): Promise<(KnownCaller & { digest: Buffer }) | undefined> {
    const known = await this.find(digest)
    if (known) return { caller: known.caller, encoded: known.encoded, digest }
    const old = previous && (await this.find(previous))
    if (!old) return undefined
    this.#rekey(previous, digest)
    return { caller: old.caller, encoded: old.encoded, digest: previous }
  }

  #rekey(previous: Buffer, digest: Buffer): void {
    const key = digest.toString('latin1')
    if (this.#rekeying.has(key) || this.#rekeying.size >= maxRekeyings) return
    this.#rekeying.add(key)
    const done = () => this.#rekeying.delete(key)
    void this.#options.rekey({ previous, digest }).then(done, done)
  }

  /** Whether this process remembers the credential as valid. */
  wasValid({ digest, previous }: CredentialDigests): boolean {
    if (this.#options.cachesCallers === false) return this.#remembered.has({ digest, previous })
    const isCached = (one: Buffer) => this.#entries.has(one.toString('latin1'))
    return isCached(digest) || (previous !== undefined && isCached(previous))
  }

  observe(event: Event): void {
    const { case: kind } = event.fact
    if (
      kind === 'credentialsEnded' ||
      kind === 'userRolesChanged' ||
      (kind === 'userChanged' && event.fact.value.deleted)
    )
      this.forgetUser(event.aggregateId)
  }

  forgetUser(userId: string): void {
    if (this.#pending.size > 0) this.#changedMeanwhile.add(userId)
    for (const key of this.#keysOfUser.get(userId) ?? []) this.#entries.delete(key)
  }

  /** Drops all entries; called when the control feed was interrupted. */
  clear(): void {
    this.#generation++
    for (const userId of [...this.#keysOfUser.keys()]) this.forgetUser(userId)
  }

  async #authenticate(digest: Buffer): Promise<KnownCaller | undefined> {
    const caller = await this.#options.authenticate(digest)
    const known = unlessExpired(caller && { caller, encoded: encodeCaller(caller) }, this.#now())
    this.#remembered.record(digest, known !== undefined)
    return known
  }

  #fetch(key: string, digest: Buffer): Promise<KnownCaller | undefined> {
    let pending = this.#pending.get(key)
    if (!pending) {
      const generation = this.#generation
      pending = this.#options
        .authenticate(digest)
        .then((caller) => this.#cache(key, caller, generation))
        .finally(() => {
          this.#pending.delete(key)
          if (this.#pending.size === 0) this.#changedMeanwhile.clear()
        })
      this.#pending.set(key, pending)
    }
    return pending
  }

  #cache(key: string, caller: Caller | undefined, generation: number): KnownCaller | undefined {
    this.#entries.delete(key)
    if (!caller) return undefined
    const entry: Entry = { caller, encoded: encodeCaller(caller), checkedAt: this.#now() }
    if (generation !== this.#generation || this.#changedMeanwhile.has(caller.userId)) return entry
    const keys = this.#keysOfUser.get(caller.userId) ?? new Set()
    this.#keysOfUser.set(caller.userId, keys.add(key))
    this.#entries.set(key, entry)
    return entry
  }

  #forgetKey(userId: string, key: string): void {
    const keys = this.#keysOfUser.get(userId)
    keys?.delete(key)
    if (keys?.size === 0) this.#keysOfUser.delete(userId)
  }
}

const unlessExpired = (known: KnownCaller | undefined, now: number): KnownCaller | undefined =>
  known && known.caller.expiresAt.getTime() > now ? known : undefined
