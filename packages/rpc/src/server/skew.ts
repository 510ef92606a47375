const sliceMs = 10_000
const slices = 6
const forgetAfterMs = 2 * sliceMs * slices

type Sender = { readonly minima: number[]; slice: number }

/**
 * Tells how long ago a call was sent without trusting that two clocks agree: the smallest (arrival - sent) of a sender in
 * the last minute stands for "just now". The first call of a sender therefore counts as just sent.
 */
export class Skew {
  readonly #senders = new Map<string, Sender>()
  #swept = 0

  /** Age in milliseconds of a call that arrives at `now` by our clock, sent at `sentAt` by the sender's. */
  age(sender: string, sentAt: number, now: number): number {
    const slice = Math.floor(now / sliceMs)
    const offset = now - sentAt
    const minima = this.#minima(sender, slice)
    const index = slice % slices
    if (offset < (minima[index] ?? Infinity)) minima[index] = offset
    if (now - this.#swept > forgetAfterMs) this.#forget(slice, now)
    return offset - Math.min(...minima)
  }

  #minima(name: string, slice: number): number[] {
    let sender = this.#senders.get(name)
    if (!sender) {
      sender = { minima: Array<number>(slices).fill(Infinity), slice }
      this.#senders.set(name, sender)
    }
    for (; sender.slice < slice; sender.slice++) {
      if (slice - sender.slice > slices) sender.slice = slice - slices
      sender.minima[(sender.slice + 1) % slices] = Infinity
    }
    return sender.minima
  }

  /** Senders end without saying so. */
  #forget(slice: number, now: number): void {
    this.#swept = now
    for (const [name, sender] of this.#senders) if (slice - sender.slice > slices) this.#senders.delete(name)
  }
}
