import type { RealtimeEventEnvelope } from '@parley/contracts/realtime'

const maxRemembered = 1_000

/**
 * Remembers the newest events, to drop duplicates: a server that resumes a stream repeats events that may not have
 * arrived, and it may itself receive an event twice.
 */
export class RecentEvents {
  readonly #keys = new Set<string>()

  /**
   * Remembers an event by id and kind, because events of several kinds may have the same id. Returns whether it is new.
   */
  add({ id, event }: Pick<RealtimeEventEnvelope, 'id' | 'event'>): boolean {
    const key = `${id} ${event.case}`
    if (this.#keys.has(key)) return false
    this.#keys.add(key)
    const [oldest] = this.#keys
    if (this.#keys.size > maxRemembered && oldest !== undefined) this.#keys.delete(oldest)
    return true
  }
}
