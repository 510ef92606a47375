type Waiting<Request, Response> = {
  request: Request
  resolve: (response: Response) => void
  reject: (reason: unknown) => void
}

export class RequestBatcher<Request, Response> implements Disposable {
  readonly #sendAll: (requests: Request[]) => Promise<Response[]>
  readonly #gatherMs: number
  readonly #maxBatch: number
  #waiting: Waiting<Request, Response>[] = []
  #timer: NodeJS.Timeout | undefined

  /** `sendAll` resolves with the responses in the order of the requests. */
  constructor(sendAll: (requests: Request[]) => Promise<Response[]>, options: { gatherMs: number; maxBatch: number }) {
    this.#sendAll = sendAll
    this.#gatherMs = options.gatherMs
    this.#maxBatch = options.maxBatch
  }

  request(request: Request): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
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
    this.#sendAll(batch.map(({ request }) => request)).then(
      (responses) => {
        for (const [i, { resolve, reject }] of batch.entries()) {
          if (i < responses.length) resolve(responses[i] as Response)
          else reject(new Error('a request was left without a response'))
        }
      },
      (reason: unknown) => {
        for (const { reject } of batch) reject(reason)
      },
    )
  }
}
