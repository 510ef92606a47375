import { applyDelta, isNext, type Policy, policyFrom } from '@parley/permissions'
import type { Event, GetPolicyResponse } from '@parley/contracts/internal'
import { RecentIds } from '@parley/events'
import { retry } from '@parley/runtime'

/**
 * The policy as of this node's place on the stream: deltas are applied where they stand among the other events, so that
 * nothing published after a revoking decision is judged by the policy before it.
 */
export class NodePolicy {
  readonly #load: () => Promise<GetPolicyResponse>
  readonly #stop: AbortSignal
  #changed: () => void = () => undefined
  #policy: Policy | undefined
  #reloading: Promise<void> | undefined
  #stale = false
  readonly #heard = new RecentIds()
  /** Counts changes: a policy that was read meanwhile may be older. */
  #changes = 0

  constructor(load: () => Promise<GetPolicyResponse>, stop: AbortSignal) {
    this.#load = load
    this.#stop = stop
  }

  current(): Policy {
    if (!this.#policy) throw new Error('the policy was asked for before it was loaded')
    return this.#policy
  }

  /** Calls back after each change. */
  onChange(changed: () => void): void {
    this.#changed = changed
  }

  /** Takes an event of the stream; only policy deltas matter. */
  apply(event: Event): void {
    if (event.fact.case !== 'policy' || !this.#heard.add(event.id)) return
    const delta = event.fact.value
    const before = this.#policy
    this.#changes++
    if (!before || !isNext(before, delta)) this.reload().catch(() => undefined) // only rejects when the node stops
    if (!before || delta.revision <= before.revision) return
    this.#policy = applyDelta(before, delta)
    this.#changed()
  }

  /** Reads the whole policy, trying until it can. A delta that comes meanwhile and does not fit makes it read once more. */
  reload(): Promise<void> {
    this.#stale = true
    this.#reloading ??= this.#read().finally(() => {
      this.#reloading = undefined
    })
    return this.#reloading
  }

  async #read(): Promise<void> {
    while (this.#stale) {
      this.#stale = false
      const changes = this.#changes
      const snapshot = await retry(this.#load, { signal: this.#stop, initialMs: 50, maxMs: 2_000 })
      const isOlder = this.#policy !== undefined && snapshot.revision < this.#policy.revision
      // Without a change meanwhile the database of admin went back.
      if (isOlder && changes !== this.#changes) this.#stale = true
      if (isOlder && this.#stale) continue
      this.#policy = policyFrom(snapshot)
      this.#changed()
    }
  }
}
