/** Work that no caller waits for; only the end of the process does. */
export class BackgroundTasks implements AsyncDisposable {
  readonly #running = new Set<Promise<void>>()
  readonly #failed: (error: unknown) => void

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed
  }

  run(work: () => Promise<unknown>): void {
    const running = work()
      .then(() => undefined, this.#failed)
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running)
  }
}
