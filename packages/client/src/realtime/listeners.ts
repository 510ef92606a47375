/** A set of listeners. If one throws, the others are still called. */
export class Listeners<T> {
  readonly #listeners = new Set<{ call: (value: T) => void }>()

  /** The answer takes the listener out again. */
  add(call: (value: T) => void): () => void {
    const listener = { call }
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  tell(value: T): void {
    for (const { call } of [...this.#listeners]) {
      try {
        call(value)
      } catch (error) {
        // The listener's own mistake: reported where uncaught errors of the application go.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
