import { FairSemaphore } from '@parley/runtime'
import { tooManyPages } from '../../errors.ts'

const atOnce = 16
const maxWaiting = 64
const maxWaitingPerCaller = 8

/**
 * Concurrent requests for a page share one fetch. A fetch continues even if all its callers have disconnected;
 * `closing` aborts it.
 */
export class PageFetches {
  readonly #closing: AbortSignal
  readonly #semaphore = new FairSemaphore({
    ...{ atOnce, maxWaiting, maxWaitingPerCaller },
    refusal: tooManyPages,
  })
  readonly #running = new Map<string, Promise<Uint8Array | undefined>>()

  constructor(closing: AbortSignal) {
    this.#closing = closing
  }

  run(
    { id, callerId }: { id: string; callerId: string },
    fetch: (closing: AbortSignal) => Promise<Uint8Array | undefined>,
  ): Promise<Uint8Array | undefined> {
    const running = this.#running.get(id)
    if (running) return running
    const result = this.#semaphore.run(() => fetch(this.#closing), callerId).finally(() => this.#running.delete(id))
    this.#running.set(id, result)
    return result
  }
}
