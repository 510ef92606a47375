import { applyDelta, isNext, policyFrom, type Policy } from '@parley/permissions'
import type { Event, GetPolicyResponse, PolicyDelta } from '@parley/contracts/internal'
import type { Bus } from '@parley/rpc'
import { Resources, retry } from '@parley/runtime'
import { RecentIds } from './recent-ids.ts'
import { followControl, type ControlFeed } from './follow-control.ts'

const maxAgeMs = 1000

export type PolicySource = { feed: ControlFeed } | { bus: Bus }

export type FollowPolicyOptions = PolicySource & {
  load: () => Promise<GetPolicyResponse>
  /** Aborts the start and, later, every load; to be aborted only when nothing is decided by the policy any more. */
  signal?: AbortSignal
}

export type PolicyHolder = AsyncDisposable & {
  current(): Policy
  /**
   * Loads the current policy from admin, for callers that cannot wait for a pending delta. Rejects if `load` does.
   */
  loadFresh(): Promise<Policy>
  /** The highest revision this process has seen. After a restore of admin's database, the current one may be lower. */
  highest(): bigint
  /** Calls the listener synchronously after each change or reload; dispose the result to stop. */
  subscribe(listener: (policy: Policy) => void): Disposable
}

/**
 * Applies each delta. Reloads the policy if a delta is missing or not above the current revision (admin's database was
 * restored), if the feed was reset, and once a second while the feed is silent. Waits for the first policy without a
 * limit; rejects only if `signal` is aborted.
 */
export async function followPolicy(options: FollowPolicyOptions): Promise<PolicyHolder> {
  await using resources = new Resources()
  const cache = new PolicyCache(options.load, options.signal)
  resources.use(cache)
  const reloadIfOld = (): void => {
    if (cache.ageMs() > maxAgeMs) void cache.reload()
  }
  const onEvent = (event: Event): void => cache.observe(event)
  const listener = { onEvent, onReset: () => void cache.reload(), onSilence: reloadIfOld }
  let feed: ControlFeed | undefined
  if ('feed' in options) {
    feed = options.feed
    resources.use(feed.subscribe(listener))
  } else {
    feed = resources.use(await followControl({ bus: options.bus, signal: options.signal, ...listener }))
  }
  const first = await cache.reload()
  return Object.assign(resources.move(), {
    current: () => cache.policy ?? first,
    loadFresh: () => cache.loadFresh(),
    highest: () => cache.highest,
    subscribe: (onChange: (policy: Policy) => void) => cache.subscribe(onChange),
  })
}

class PolicyCache implements Disposable {
  policy: Policy | undefined
  highest = 0n
  readonly #load: () => Promise<GetPolicyResponse>
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  readonly #listeners = new Set<(policy: Policy) => void>()
  #loading: Promise<Policy> | undefined
  #loadAgain = false
  #loadedAt = 0
  #pendingDeltas: PolicyDelta[] = []
  readonly #applied = new RecentIds()

  constructor(load: () => Promise<GetPolicyResponse>, signal: AbortSignal | undefined) {
    this.#load = load
    this.#signal = signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal
  }

  ageMs(): number {
    return performance.now() - this.#loadedAt
  }

  subscribe(listener: (policy: Policy) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  observe(event: Event): void {
    if (event.fact.case !== 'policy' || !this.#applied.add(event.id)) return
    if (this.policy && event.fact.value.revision <= this.policy.revision) void this.reload()
    if (this.#loading !== undefined) this.#pendingDeltas.push(event.fact.value)
    this.#apply(event.fact.value)
  }

  /** A revision below the current one (admin's database was restored) causes a reload. */
  async loadFresh(): Promise<Policy> {
    const loaded = policyFrom(await this.#load())
    if (this.policy === undefined || loaded.revision > this.policy.revision) this.#set(loaded)
    else if (loaded.revision < this.policy.revision) void this.reload()
    return loaded
  }

  reload(): Promise<Policy> {
    if (this.#loading !== undefined) {
      this.#loadAgain = true
      return this.#loading
    }
    this.#loading = this.#loadUntilCurrent().finally(() => (this.#loading = undefined))
    // Callers see the rejection; a load without callers must not cause an unhandled one.
    this.#loading.catch(() => undefined)
    return this.#loading
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
    this.#listeners.clear()
  }

  async #loadUntilCurrent(): Promise<Policy> {
    for (;;) {
      this.#loadAgain = false
      this.#pendingDeltas = []
      const sentAt = performance.now()
      const loaded = policyFrom(await retry(this.#load, { signal: this.#signal, initialMs: 100, maxMs: 2000 }))
      this.#loadedAt = sentAt
      this.#set(loaded)
      for (const delta of this.#pendingDeltas) this.#apply(delta)
      if (!this.#loadAgain) return this.policy ?? loaded
    }
  }

  #apply(delta: PolicyDelta): void {
    if (this.policy === undefined || delta.revision <= this.policy.revision) return
    const before = this.policy
    this.#set(applyDelta(before, delta))
    if (!isNext(before, delta)) void this.reload()
  }

  #set(policy: Policy): void {
    this.policy = policy
    if (policy.revision > this.highest) this.highest = policy.revision
    for (const listener of this.#listeners) listener(policy)
  }
}
