import type { IncomingMessage, ServerResponse } from 'node:http'
import { NetworkCounts, networksOf, type Network } from '@parley/redis'

type Limits = { total: number; perNetwork: number }

/** The part of the total that one network of any size may use, so that others have the rest. */
const maxNetworkFraction = 3 / 4

/** Bytes of requests being read and of responses not sent yet, for the process and per network. */
export class ByteBudget {
  readonly #maxTotal: number
  readonly #byNetwork: NetworkCounts
  #total = 0

  constructor({ total, perNetwork }: Limits) {
    this.#maxTotal = total
    this.#byNetwork = new NetworkCounts(perNetwork, total * maxNetworkFraction)
  }

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
        if (held > 0) this.#release(networks, held)
        held = 0
      },
    }
  }

  #take(networks: readonly Network[], bytes: number): boolean {
    if (this.#total + bytes > this.#maxTotal || !this.#byNetwork.take(networks, bytes)) return false
    this.#total += bytes
    return true
  }

  #release(networks: readonly Network[], bytes: number): void {
    this.#total -= bytes
    this.#byNetwork.release(networks, bytes)
  }
}

export type HeldBytes = {
  /** False if the limit is reached, or after the release. */
  take(bytes: number): boolean
  release(): void
}

const ofRequest = new WeakMap<IncomingMessage, HeldBytes>()
const unlimited: HeldBytes = { take: () => true, release: () => undefined }

export const heldBytesOf = (request: IncomingMessage): HeldBytes => ofRequest.get(request) ?? unlimited

export function holdBytes(request: IncomingMessage, response: ServerResponse, held: HeldBytes): void {
  ofRequest.set(request, held)
  response.once('close', () => held.release())
}

/** A response counts as stalled if its client reads nothing for this long, in milliseconds. */
const stalledMs = 1_000
/** Number of bytes counted for a stalled response: about as many are buffered here and at the upstream server. */
const stalledBytes = 192 * 1024

/** Counts a forwarded response when its client has stopped reading. Closes the connection if the limit is reached. */
export function holdStalledBytes(request: IncomingMessage, response: ServerResponse): void {
  const held = heldBytesOf(request)
  let counted = false
  let waiting: NodeJS.Timeout | undefined
  const cancel = (): void => clearTimeout(waiting)
  const countStalled = (): void => {
    counted = true
    if (!held.take(stalledBytes)) response.destroy()
  }
  const write = response.write.bind(response) as (chunk: Uint8Array, ...rest: unknown[]) => boolean
  const writeWatched = (chunk: Uint8Array, ...rest: unknown[]): boolean => {
    const hasRoom = write(chunk, ...rest)
    if (!hasRoom && !counted) {
      cancel()
      waiting = setTimeout(countStalled, stalledMs)
    }
    return hasRoom
  }
  Object.assign(response, { write: writeWatched })
  response.on('drain', cancel).once('close', cancel)
}

/** For requests to which another limit applies. */
export function exemptFromByteBudget(request: IncomingMessage): void {
  ofRequest.delete(request)
}
