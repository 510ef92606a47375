import type { Bus } from '@parley/rpc'
import { eventStream } from '../subjects.ts'
import { recordPublish } from '../metrics.ts'
import { publishSpan } from '../spans.ts'
import { isRefusedForGood, isUnavailable, jetStream } from '../stream/api.ts'
import type { Batch, AggregateQueue } from './shard.ts'

const maxInFlight = 256
/**
 * Short: a server that has not loaded its stream yet does not answer, and the message must be sent again. The stream
 * drops duplicates.
 */
const firstAckTimeoutMs = 1000
const ackTimeoutMs = 3000
const maxRetryMs = 1000

export type SenderCallbacks = {
  onStored(queue: AggregateQueue, batch: Batch, seq: number, repeated: boolean): void
  /**
   * The stream refuses the message permanently. Resolves when the queue has replaced it; rejects if the database did
   * not store the replacement.
   */
  onRefused(queue: AggregateQueue, batch: Batch, reason: string): Promise<void>
  onFailed(reason: string): void
  onNoResponse(): void
}

export class Sender {
  readonly #bus: Bus
  readonly #service: string
  readonly #callbacks: SenderCallbacks
  readonly #ready: AggregateQueue[] = []
  #inFlight = 0

  constructor(bus: Bus, service: string, callbacks: SenderCallbacks) {
    this.#bus = bus
    this.#service = service
    this.#callbacks = callbacks
  }

  offer(queue: AggregateQueue): void {
    if (queue.isBusy || queue.isDropped || queue.isEmpty) return
    queue.isBusy = true
    this.#ready.push(queue)
    this.#sendReady()
  }

  #sendReady(): void {
    while (this.#inFlight < maxInFlight) {
      const queue = this.#ready.shift()
      if (queue === undefined) return
      const batch = !queue.isDropped && queue.shard.mayPublish && this.#bus.connected() ? queue.nextBatch() : undefined
      if (batch === undefined) queue.isBusy = false
      else void this.#send(queue, batch)
    }
  }

  async #send(queue: AggregateQueue, batch: Batch): Promise<void> {
    this.#inFlight++
    const pauseMs = await this.#attempt(queue, batch)
    this.#inFlight--
    if (pauseMs > 0) {
      setTimeout(() => this.#release(queue), pauseMs)
      this.#sendReady()
    } else {
      this.#release(queue)
    }
  }

  #release(queue: AggregateQueue): void {
    queue.isBusy = false
    this.offer(queue)
    this.#sendReady()
  }

  async #attempt(queue: AggregateQueue, batch: Batch): Promise<number> {
    const last = batch.entries.at(-1)
    if (last === undefined) return 0
    const startedAt = performance.now()
    try {
      const { client } = await jetStream(this.#bus)
      const options = {
        msgID: queue.shard.messageId(this.#service, last),
        timeout: batch.failures === 0 ? firstAckTimeoutMs : ackTimeoutMs,
        expect: { streamName: eventStream },
      }
      const ack = await publishSpan(batch.data, () => client.publish(batch.subject, batch.data, options))
      recordPublish(performance.now() - startedAt)
      if (!queue.isDropped) this.#callbacks.onStored(queue, batch, ack.seq, ack.duplicate)
      return 0
    } catch (error) {
      recordPublish(performance.now() - startedAt, failureOf(error))
      if (queue.isDropped) return 0
      if (isRefusedForGood(error)) {
        try {
          await this.#callbacks.onRefused(queue, batch, error instanceof Error ? error.message : String(error))
          return 0
        } catch {
          // The next attempt will be refused again.
        }
      } else if (isUnavailable(error)) {
        this.#callbacks.onNoResponse()
      } else {
        this.#callbacks.onFailed(error instanceof Error ? error.message : String(error))
      }
      batch.failures++
      return Math.min(50 * 2 ** Math.min(batch.failures, 6), maxRetryMs)
    }
  }
}

function failureOf(error: unknown): 'refused' | 'unanswered' | 'failed' {
  if (isRefusedForGood(error)) return 'refused'
  return isUnavailable(error) ? 'unanswered' : 'failed'
}
