export class Waiters {
  readonly #byId = new Map<bigint, Set<() => void>>()

  wait(id: bigint, done: () => void): () => void {
    let waiting = this.#byId.get(id)
    if (waiting === undefined) this.#byId.set(id, (waiting = new Set()))
    const all = waiting
    all.add(done)
    return () => {
      all.delete(done)
      if (all.size === 0 && this.#byId.get(id) === all) this.#byId.delete(id)
    }
  }

  notifyStored(id: bigint): void {
    const waiting = this.#byId.get(id)
    if (waiting === undefined) return
    this.#byId.delete(id)
    for (const done of waiting) done()
  }
}
