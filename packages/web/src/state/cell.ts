/** Holds a value, and notifies listeners when it is replaced. Values must not be mutated. */
export class Cell<T> {
  readonly #listeners = new Set<() => void>()
  #value: T

  constructor(value: T) {
    this.#value = value
  }

  get value(): T {
    return this.#value
  }

  get isObserved(): boolean {
    return this.#listeners.size > 0
  }

  set(value: T): void {
    if (value === this.#value) return
    this.#value = value
    for (const listener of [...this.#listeners]) listener()
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value))
  }

  /** The returned function ends the subscription. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
