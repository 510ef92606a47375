/** A set of listeners. If one throws, the others are still called. */
export class Listeners<T> {
  readonly #listeners = new Set<{ call: (value: T) => void }>()

  /** Returns a function that removes the listener. */
  add(call: (value: T) => void): () => void {
    const listener = { call }
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  notify(value: T): void {
    for (const { call } of [...this.#listeners]) {
      try {
        call(value)
      } catch (error) {
        // A bug in the listener: reported where uncaught errors of the application go.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
