import { Code, ConnectError } from '@parley/client'

const everyMs = 1_000
const temporary = new Set([Code.Unavailable, Code.DeadlineExceeded, Code.ResourceExhausted, Code.Unknown])

/**
 * Tells the server how far the user has read: immediately, then at most once a second with the newest row, or when
 * `flush` is called. Retries after a temporary failure.
 */
export class ReadMarker {
  readonly #mark: () => Promise<unknown>
  /** Id of the row that was marked last or is being marked. */
  #marked: string | undefined
  #wanted: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor(mark: () => Promise<unknown>) {
    this.#mark = mark
  }

  markSeen(id: string): void {
    this.#wanted = id
    if (this.#timer === undefined) this.#send()
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#send()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #send(): void {
    this.#timer = undefined
    const id = this.#wanted
    if (id === undefined || id === this.#marked) return
    this.#marked = id
    this.#timer = setTimeout(() => this.#send(), everyMs)
    this.#mark().catch((thrown: unknown) => {
      // After a refusal, nothing is sent until another row is seen.
      if (this.#closed || !temporary.has(ConnectError.from(thrown).code)) return
      if (this.#marked === id) this.#marked = undefined
      this.#timer ??= setTimeout(() => this.#send(), everyMs)
    })
  }
}
