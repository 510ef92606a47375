import type { RealtimeEventEnvelope } from '@parley/contracts/realtime'

const maxRemembered = 1_000

/**
 * Remembers the newest events, to drop duplicates: a server that resumes sends events again that may not have arrived,
 * and it may itself receive an event twice.
 */
export class RecentEvents {
  readonly #keys = new Set<string>()

  /** Whether the event is new. One event may reach a person as several kinds. */
  add({ id, event }: Pick<RealtimeEventEnvelope, 'id' | 'event'>): boolean {
    const key = `${id} ${event.case}`
    if (this.#keys.has(key)) return false
    this.#keys.add(key)
    const [oldest] = this.#keys
    if (this.#keys.size > maxRemembered && oldest !== undefined) this.#keys.delete(oldest)
    return true
  }
}
