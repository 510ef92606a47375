/** A statement is prepared at its third execution, because one that ran once or twice may never run again. */
const preparedAt = 3
/** A prepared statement costs memory in every connection of the server. PgBouncer is configured to keep as many. */
const maxPrepared = 200
const maxCounted = 1_000

/** Names for the statements that a pool runs repeatedly, so that each of its connections prepares them once. */
export class StatementNames {
  readonly #names = new Map<string, string>()
  #seen = new Map<string, number>()

  /** Undefined while the statement is not prepared. */
  of(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= maxPrepared) return known
    const times = (this.#seen.get(text) ?? 0) + 1
    if (times < preparedAt) {
      // Otherwise statements whose text depends on the number of rows would accumulate.
      if (this.#seen.size >= maxCounted) this.#seen = new Map()
      this.#seen.set(text, times)
      return undefined
    }
    this.#seen.delete(text)
    const name = `parley_${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}
