import type { Answer } from './http.ts'

export type Outcome = {
  n: number
  /** If undefined, `failure` says why. */
  answer: Answer | undefined
  failure: string | undefined
  /** Time by `performance.now()`. */
  startedAt: number
  tookMs: number
}

export class Traffic {
  readonly outcomes: Outcome[] = []
  readonly #workers: Promise<void>[]
  #next = 0
  #stopped = false

  /** Each of `width` workers makes a call, waits `pauseMs`, and repeats. */
  constructor(width: number, pauseMs: number, call: (n: number) => Promise<Answer>) {
    this.#workers = Array.from({ length: width }, () => this.#work(pauseMs, call))
  }

  get succeeded(): Outcome[] {
    return this.outcomes.filter(({ answer }) => answer?.status === 200)
  }

  get failed(): string[] {
    return this.outcomes
      .filter(({ answer }) => answer?.status !== 200)
      .map(({ n, answer, failure }) => `${n}: ${failure ?? `${answer?.status} ${JSON.stringify(answer?.body)}`}`)
  }

  async stop(): Promise<Outcome[]> {
    this.#stopped = true
    await Promise.all(this.#workers)
    return this.outcomes
  }

  async #work(pauseMs: number, call: (n: number) => Promise<Answer>): Promise<void> {
    while (!this.#stopped) {
      const n = this.#next++
      const startedAt = performance.now()
      const done = (answer: Answer | undefined, failure?: string) =>
        this.outcomes.push({ n, answer, failure, startedAt, tookMs: performance.now() - startedAt })
      await call(n).then(done, (error: unknown) => done(undefined, describe(error)))
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${describe(error.cause)}`
}
