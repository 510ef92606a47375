import type { ParleyClient, Realtime } from '@parley/client'

/** `startedAt` is the time of the call (`Date.now()`). */
export type SentPost = { id: string; startedAt: number }

export type Faults = { missed: number; twice: number; outOfOrder: number }

export class CheckedStream {
  readonly #realtime: Realtime
  readonly received: string[] = []
  /** The reason of each reset, after which the client must reload everything. */
  readonly resets: string[] = []
  /** `openMs`: how long the connection had been open. */
  readonly losses: { at: number; reason: string; openMs: number }[] = []
  /** Number of connections that resumed where the previous one ended. */
  resumed = 0
  #openedAt = Infinity
  #connectedAt = Infinity
  #isClosed = false

  constructor(client: ParleyClient, url: string, roomId: string) {
    this.#realtime = client.realtime({ url, onReset: (reason) => this.resets.push(reason) })
    this.#realtime.on('messagePosted', (event) => {
      if (event.roomId === roomId) this.received.push(event.messageEventId)
    })
    this.#realtime.onState((state) => {
      const at = Date.now()
      if (state.status === 'waiting') this.losses.push({ at, reason: state.reason, openMs: at - this.#connectedAt })
      if (state.status === 'open') this.#connectedAt = at
      if (state.status === 'open' && state.resumed) this.resumed++
    })
  }

  async waitUntilOpen(): Promise<void> {
    await this.#realtime.opened
    this.#openedAt = Date.now()
  }

  get isOpen(): boolean {
    return this.#realtime.state.status === 'open'
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  close(): void {
    this.#isClosed = true
    this.#realtime.close()
  }

  /**
   * `log` has all posts of the room in order. A client must receive every post sent after its stream was open. A
   * closed stream is checked only up to the last post it received.
   */
  faults(log: readonly string[], sent: readonly SentPost[]): Faults {
    const first = sent.find(({ startedAt }) => startedAt >= this.#openedAt)
    const from = first === undefined ? log.length : log.indexOf(first.id)
    const to = this.#isClosed ? log.indexOf(this.received.at(-1) ?? '') + 1 : log.length
    const expected = log.slice(from, Math.max(from, to))
    const isExpected = new Set(expected)
    const positions = new Map(log.map((id, position) => [id, position]))
    const received = this.received.filter((id) => isExpected.has(id))
    return {
      missed: expected.length - new Set(received).size,
      twice: received.length - new Set(received).size,
      outOfOrder: received.filter(
        (id, n) => n > 0 && Number(positions.get(id)) < Number(positions.get(received[n - 1] ?? '')),
      ).length,
    }
  }
}
