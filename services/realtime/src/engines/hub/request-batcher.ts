type Waiting<Q, A> = { question: Q; resolve: (answer: A) => void; reject: (reason: unknown) => void }

/** Collects single questions for a moment and asks them together. */
export class RequestBatcher<Q, A> implements Disposable {
  readonly #askAll: (questions: Q[]) => Promise<A[]>
  readonly #gatherMs: number
  readonly #maxBatch: number
  #waiting: Waiting<Q, A>[] = []
  #timer: NodeJS.Timeout | undefined

  /** `askAll` answers in the order of its questions. */
  constructor(askAll: (questions: Q[]) => Promise<A[]>, options: { gatherMs: number; maxBatch: number }) {
    this.#askAll = askAll
    this.#gatherMs = options.gatherMs
    this.#maxBatch = options.maxBatch
  }

  ask(question: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject })
      if (this.#waiting.length >= this.#maxBatch) this.#send()
      else this.#timer ??= setTimeout(() => this.#send(), this.#gatherMs)
    })
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('closed'))
  }

  #send(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const batch = this.#waiting
    this.#waiting = []
    this.#askAll(batch.map(({ question }) => question)).then(
      (answers) => {
        for (const [i, { resolve, reject }] of batch.entries()) {
          if (i < answers.length) resolve(answers[i] as A)
          else reject(new Error('a question was left without an answer'))
        }
      },
      (reason: unknown) => {
        for (const { reject } of batch) reject(reason)
      },
    )
  }
}
