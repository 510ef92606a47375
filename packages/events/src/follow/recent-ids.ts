const maxIds = 1_000

/**
 * The ids of the last 1,000 events, to tell a redelivered event from one whose version is lower because its owner's
 * database was restored.
 */
export class RecentIds {
  readonly #ids = new Set<string>()

  add(id: string): boolean {
    if (this.#ids.has(id)) return false
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (this.#ids.size > maxIds && oldest !== undefined) this.#ids.delete(oldest)
    return true
  }
}
