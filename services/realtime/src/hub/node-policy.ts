import { applyDelta, isNext, type Policy, policyFrom } from '@parley/auth'
import type { Event, GetPolicyResponse } from '@parley/contracts/internal'
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
    if (event.fact.case !== 'policy') return
    const delta = event.fact.value
    const before = this.#policy
    if (before && delta.revision <= before.revision) return
    if (!before || !isNext(before, delta)) this.reload().catch(() => undefined) // only rejects when the node stops
    if (!before) return
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
      const snapshot = await retry(this.#load, { signal: this.#stop, initialMs: 50, maxMs: 2_000 })
      if (this.#policy && snapshot.revision < this.#policy.revision) continue
      this.#policy = policyFrom(snapshot)
      this.#changed()
    }
  }
}
