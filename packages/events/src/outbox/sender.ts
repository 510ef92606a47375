import type { Bus } from '@parley/rpc'
import { eventStream } from '../subjects.ts'
import { messagePublished } from '../metrics.ts'
import { publishSpan } from '../spans.ts'
import { isRefusedForGood, isUnavailable, jetStream } from '../stream/api.ts'
import type { Batch, Line } from './shard.ts'

const window = 256
/** A server that has just started does not answer until its stream is loaded, and it drops duplicates. */
const firstAckTimeoutMs = 1000
const ackTimeoutMs = 3000
const slowestRetryMs = 1000

/** How the relay reacts to the outcome of a message. */
export type SenderEvents = {
  /** The stream has stored the entry. */
  stored(line: Line, batch: Batch, seq: number, repeated: boolean): void
  /** The stream refuses it permanently. Resolves when the line has its replacement. */
  refused(line: Line, batch: Batch, reason: string): Promise<void>
  /** The stream refused it temporarily, with a reason. */
  failed(reason: string): void
  /** Nobody listens for events: the stream is missing, or JetStream is not up. */
  noResponse(): void
}

/** Publishes the messages of many lines at once, one per line, a bounded number in all. */
export class Sender {
  readonly #bus: Bus
  readonly #service: string
  readonly #events: SenderEvents
  readonly #ready: Line[] = []
  #underWay = 0

  constructor(bus: Bus, service: string, events: SenderEvents) {
    this.#bus = bus
    this.#service = service
    this.#events = events
  }

  /** Sends the entries of the line when its turn comes. It is harmless to call this repeatedly. */
  offer(line: Line): void {
    if (line.busy || line.dropped || line.empty) return
    line.busy = true
    this.#ready.push(line)
    this.#fill()
  }

  #fill(): void {
    while (this.#underWay < window) {
      const line = this.#ready.shift()
      if (line === undefined) return
      const batch = !line.dropped && line.shard.mayPublish && this.#bus.connected() ? line.next() : undefined
      // A line that may not go out now is offered again when its shard becomes ready or the next entries are read.
      if (batch === undefined) line.busy = false
      else void this.#send(line, batch)
    }
  }

  async #send(line: Line, batch: Batch): Promise<void> {
    this.#underWay++
    const pauseMs = await this.#attempt(line, batch)
    this.#underWay--
    if (pauseMs > 0) {
      setTimeout(() => this.#again(line), pauseMs)
      this.#fill()
    } else {
      this.#again(line)
    }
  }

  #again(line: Line): void {
    line.busy = false
    this.offer(line)
    this.#fill()
  }

  /** Returns how long to wait before the line's next message. */
  async #attempt(line: Line, batch: Batch): Promise<number> {
    const last = batch.entries.at(-1)
    if (last === undefined) return 0
    const began = performance.now()
    try {
      const { streams } = await jetStream(this.#bus)
      const options = {
        msgID: line.shard.messageId(this.#service, last),
        timeout: batch.failures === 0 ? firstAckTimeoutMs : ackTimeoutMs,
        expect: { streamName: eventStream },
      }
      const ack = await publishSpan(batch.data, () => streams.publish(batch.subject, batch.data, options))
      messagePublished(performance.now() - began)
      if (!line.dropped) this.#events.stored(line, batch, ack.seq, ack.duplicate)
      return 0
    } catch (error) {
      messagePublished(performance.now() - began, failureOf(error))
      if (line.dropped) return 0
      if (isRefusedForGood(error)) {
        try {
          await this.#events.refused(line, batch, error instanceof Error ? error.message : String(error))
          return 0
        } catch {
          // The database did not store the replacement: the next attempt will be refused again.
        }
      } else if (isUnavailable(error)) {
        this.#events.noResponse()
      } else {
        this.#events.failed(error instanceof Error ? error.message : String(error))
      }
      batch.failures++
      return Math.min(50 * 2 ** Math.min(batch.failures, 6), slowestRetryMs)
    }
  }
}

function failureOf(error: unknown): 'refused' | 'unanswered' | 'failed' {
  if (isRefusedForGood(error)) return 'refused'
  return isUnavailable(error) ? 'unanswered' : 'failed'
}
