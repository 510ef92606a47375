import { isDeepStrictEqual } from 'node:util'
import { applyDelta, isNext, type Policy, policyFrom } from '@parley/permissions'
import type { Event, GetPolicyResponse } from '@parley/contracts/internal'
import { RecentIds } from '@parley/events'
import { retry } from '@parley/runtime'

/** An event of the stream, the first load, or a later load that found a change without its event. */
export type PolicyChange = 'event' | 'first_load' | 'missed_event'

/**
 * The policy at this node's position on the stream. Deltas are applied in stream order, so that no event after a
 * revoking decision is delivered according to an older policy.
 */
export class NodePolicy {
  readonly #load: () => Promise<GetPolicyResponse>
  readonly #stop: AbortSignal
  #changed: (change: PolicyChange) => void = () => undefined
  #policy: Policy | undefined
  #reloading: Promise<void> | undefined
  #mustLoad = false
  readonly #applied = new RecentIds()
  #changes = 0

  constructor(load: () => Promise<GetPolicyResponse>, stop: AbortSignal) {
    this.#load = load
    this.#stop = stop
  }

  current(): Policy {
    if (!this.#policy) throw new Error('the policy was used before it was loaded')
    return this.#policy
  }

  onChange(changed: (change: PolicyChange) => void): void {
    this.#changed = changed
  }

  /** Ignores all but policy deltas. Loads the policy again if a delta does not directly follow the known policy. */
  apply(event: Event): void {
    if (event.fact.case !== 'policy' || !this.#applied.add(event.id)) return
    const delta = event.fact.value
    const before = this.#policy
    this.#changes++
    if (!before || !isNext(before, delta)) this.reload().catch(() => undefined) // rejects only when the node stops
    if (!before || delta.revision <= before.revision) return
    this.#policy = applyDelta(before, delta)
    this.#changed('event')
  }

  /**
   * Retries until it succeeds. Loads again if a delta arrived meanwhile that does not follow the known policy, or is
   * newer than the loaded policy.
   */
  reload(): Promise<void> {
    this.#mustLoad = true
    this.#reloading ??= this.#read().finally(() => {
      this.#reloading = undefined
    })
    return this.#reloading
  }

  async #read(): Promise<void> {
    while (this.#mustLoad) {
      this.#mustLoad = false
      const changes = this.#changes
      const snapshot = await retry(this.#load, { signal: this.#stop, initialMs: 50, maxMs: 2_000 })
      const isOlder = this.#policy !== undefined && snapshot.revision < this.#policy.revision
      // Without a change meanwhile, an older policy means that admin's database was restored.
      if (isOlder && changes !== this.#changes) this.#mustLoad = true
      if (isOlder && this.#mustLoad) continue
      const before = this.#policy
      this.#policy = policyFrom(snapshot)
      if (!isDeepStrictEqual(before, this.#policy)) this.#changed(before ? 'missed_event' : 'first_load')
    }
  }
}
