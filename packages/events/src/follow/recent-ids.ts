const kept = 1_000

/** The newest event ids heard: tells an event that comes again from one whose version went back with its owner's database. */
export class RecentIds {
  readonly #ids = new Set<string>()

  /** Whether an id is new; remembers it. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (this.#ids.size > kept && oldest !== undefined) this.#ids.delete(oldest)
    return true
  }
}
