import type { RealtimeEventEnvelope } from '@parley/contracts/realtime'

const kept = 1_000

/**
 * Remembers the newest events: a server that resumes sends again what it cannot know to have arrived, and may receive an
 * event twice itself.
 */
export class RecentEvents {
  readonly #keys = new Set<string>()

  /** Whether the event is new. One event may reach a person as several kinds. */
  add({ id, event }: Pick<RealtimeEventEnvelope, 'id' | 'event'>): boolean {
    const key = `${id} ${event.case}`
    if (this.#keys.has(key)) return false
    this.#keys.add(key)
    const [oldest] = this.#keys
    if (this.#keys.size > kept && oldest !== undefined) this.#keys.delete(oldest)
    return true
  }
}
