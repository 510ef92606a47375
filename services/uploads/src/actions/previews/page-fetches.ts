import { FairSemaphore } from '@parley/runtime'
import { tooManyPages } from '../../errors.ts'

const atOnce = 16
const maxWaiting = 64
const maxWaitingPerCaller = 8

/**
 * Fetches pages: concurrent requests for a page share one fetch, which is completed even if all callers have
 * disconnected.
 */
export class PageFetches {
  readonly #closing: AbortSignal
  readonly #semaphore = new FairSemaphore({
    ...{ atOnce, maxWaiting, maxWaitingPerCaller },
    refusal: tooManyPages,
  })
  readonly #looking = new Map<string, Promise<Uint8Array | undefined>>()

  constructor(closing: AbortSignal) {
    this.#closing = closing
  }

  look(
    { id, callerId }: { id: string; callerId: string },
    look: (closing: AbortSignal) => Promise<Uint8Array | undefined>,
  ): Promise<Uint8Array | undefined> {
    const underWay = this.#looking.get(id)
    if (underWay) return underWay
    const looking = this.#semaphore.run(() => look(this.#closing), callerId).finally(() => this.#looking.delete(id))
    this.#looking.set(id, looking)
    return looking
  }
}
