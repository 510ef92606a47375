import type { IncomingMessage, ServerResponse } from 'node:http'

type Limits = { total: number; perNetwork: number }

/**
 * Counts the bytes of requests that are being read and of answers that are not sent yet, in the whole process and for each
 * network.
 */
export class ByteBudget {
  readonly #limits: Limits
  readonly #byNetwork = new Map<string, number>()
  #total = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** What one request holds. */
  open(network: string): HeldBytes {
    let held = 0
    let released = false
    return {
      take: (bytes) => {
        if (released || !this.#take(network, bytes)) return false
        held += bytes
        return true
      },
      release: () => {
        released = true
        if (held > 0) this.#giveBack(network, held)
        held = 0
      },
    }
  }

  #take(network: string, bytes: number): boolean {
    const ofNetwork = (this.#byNetwork.get(network) ?? 0) + bytes
    if (this.#total + bytes > this.#limits.total || ofNetwork > this.#limits.perNetwork) return false
    this.#total += bytes
    this.#byNetwork.set(network, ofNetwork)
    return true
  }

  #giveBack(network: string, bytes: number): void {
    this.#total -= bytes
    const left = (this.#byNetwork.get(network) ?? 0) - bytes
    if (left > 0) this.#byNetwork.set(network, left)
    else this.#byNetwork.delete(network)
  }
}

/** What one request holds of the budget, until it is released. */
export type HeldBytes = {
  /** Whether there is room for so many more bytes; there is none once it is released. */
  take(bytes: number): boolean
  release(): void
}

const ofRequest = new WeakMap<IncomingMessage, HeldBytes>()
const unlimited: HeldBytes = { take: () => true, release: () => undefined }

/** What a request of the public port holds. */
export const heldBy = (request: IncomingMessage): HeldBytes => ofRequest.get(request) ?? unlimited

/** Counts what a request holds from now on; the budget gets it back when the answer is sent or the client is gone. */
export function hold(request: IncomingMessage, response: ServerResponse, held: HeldBytes): void {
  ofRequest.set(request, held)
  const { socket } = request
  const release = (): void => {
    held.release()
    socket.off('close', release)
  }
  response.once('close', release)
  // A response behind others of its connection has no socket yet, and is not told when that ends.
  if (!response.socket) socket.once('close', release)
}

/** Lets a request hold what it needs, because something else limits it. */
export function holdFreely(request: IncomingMessage): void {
  ofRequest.delete(request)
}
