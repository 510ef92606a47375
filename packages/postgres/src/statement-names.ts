/** A statement is prepared when it is seen for this time: what is seen once or twice may never come again. */
const preparedAt = 3
/** Each costs memory in every connection of the server. As many as PgBouncer is told to keep. */
const maxPrepared = 200
const maxCounted = 1_000

/** Names for the statements that a pool runs repeatedly, so that each of its connections prepares them once. */
export class StatementNames {
  readonly #names = new Map<string, string>()
  #seen = new Map<string, number>()

  /** The name of a statement with parameters; undefined while it is not prepared. */
  of(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= maxPrepared) return known
    const times = (this.#seen.get(text) ?? 0) + 1
    if (times < preparedAt) {
      // Texts that are put together anew for each number of rows would pile up.
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
