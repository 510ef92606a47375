import type { IncomingMessage, ServerResponse } from 'node:http'
import { NetworkCounts, networksOf, type Network } from '@parley/redis'

type Limits = { total: number; perNetwork: number }

/** A network of any size leaves some for others. */
const mostOfOneNetwork = 3 / 4

/**
 * Counts the bytes of requests that are being read and of answers that are not sent yet, in the whole process and for each
 * network.
 */
export class ByteBudget {
  readonly #most: number
  readonly #byNetwork: NetworkCounts
  #total = 0

  constructor({ total, perNetwork }: Limits) {
    this.#most = total
    this.#byNetwork = new NetworkCounts(perNetwork, total * mostOfOneNetwork)
  }

  /** What one request holds that comes from an address. */
  open(address: string): HeldBytes {
    const networks = networksOf(address)
    let held = 0
    let released = false
    return {
      take: (bytes) => {
        if (released || !this.#take(networks, bytes)) return false
        held += bytes
        return true
      },
      release: () => {
        released = true
        if (held > 0) this.#giveBack(networks, held)
        held = 0
      },
    }
  }

  #take(networks: readonly Network[], bytes: number): boolean {
    if (this.#total + bytes > this.#most || !this.#byNetwork.take(networks, bytes)) return false
    this.#total += bytes
    return true
  }

  #giveBack(networks: readonly Network[], bytes: number): void {
    this.#total -= bytes
    this.#byNetwork.giveBack(networks, bytes)
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
