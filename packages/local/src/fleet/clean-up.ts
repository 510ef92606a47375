/** Steps that undo a start. The first call of `close` runs them in reverse order; later calls wait for it. */
export class CleanUp {
  readonly #undo: Array<() => unknown> = []
  #closing: Promise<void> | undefined

  push(undo: () => unknown): void {
    this.#undo.push(undo)
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close() {
    for (const undo of this.#undo.splice(0).reverse()) await undo()
  }
}
