/** Opened resources. The first call of `close` closes them in reverse order; later calls wait for it. */
export class Opened {
  readonly #undo: Array<() => unknown> = []
  #closing: Promise<void> | undefined

  /** Adds something to undo. */
  push(undo: () => unknown): void {
    this.#undo.push(undo)
  }

  /** Undoes everything, newest first. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close() {
    for (const undo of this.#undo.splice(0).reverse()) await undo()
  }
}
