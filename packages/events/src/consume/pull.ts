import { createInbox, nanos, nuid, type Msg, type Subscription } from 'nats'
import type { Bus } from '@parley/rpc'
import { eventStream } from '../subjects.ts'

const expiresMs = 60_000
const heartbeatMs = 20_000
const silenceTimeoutMs = 41_000
const encoder = new TextEncoder()

/**
 * `missing`: the consumer does not exist or nobody answers for it. `silent`: the server stopped sending, or `interrupt`
 * was called.
 */
export type PullResult = 'done' | 'missing' | 'silent'

/** `pauseMs`: pause after a request, see {@link Puller}. */
type PullerOptions = { onMessage: (message: Msg) => void; pauseMs: number }

/**
 * Pulls messages of one durable, one request at a time, and passes them on in order of arrival. With a pause, a request
 * ends as soon as no further message is waiting; the pause follows unless the request brought all the messages it asked
 * for. Messages stored in the pause are then delivered together.
 */
export class Puller implements Disposable {
  readonly #bus: Bus
  readonly #durable: string
  readonly #inbox: string
  readonly #onMessage: (message: Msg) => void
  readonly #pauseMs: number
  readonly #subscription: Subscription
  #remaining = 0
  #replySubject = ''
  #activeAt = 0
  #timer: NodeJS.Timeout | undefined
  #pause: NodeJS.Timeout | undefined
  #resolve: ((result: PullResult) => void) | undefined

  constructor(bus: Bus, durable: string, { onMessage, pauseMs }: PullerOptions) {
    this.#bus = bus
    this.#durable = durable
    this.#onMessage = onMessage
    this.#pauseMs = pauseMs
    this.#inbox = createInbox(bus.inboxPrefix)
    this.#subscription = bus.nc.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#receive(message)
      },
    })
  }

  /** Resolves when `batchSize` messages have arrived, after the pause, or when the request has expired or failed. */
  async pull(batchSize: number): Promise<PullResult> {
    this.#remaining = batchSize
    this.#replySubject = `${this.#inbox}.${nuid.next()}`
    this.#activeAt = performance.now()
    const ended = new Promise<PullResult>((resolve) => (this.#resolve = resolve))
    const request = {
      ...{ batch: batchSize, expires: nanos(expiresMs), idle_heartbeat: nanos(heartbeatMs) },
      // The server waits for the first message even with `no_wait`, because `expires` is set.
      no_wait: this.#pauseMs > 0,
    }
    const subject = `$JS.API.CONSUMER.MSG.NEXT.${eventStream}.${this.#durable}`
    this.#bus.nc.publish(subject, encoder.encode(JSON.stringify(request)), { reply: this.#replySubject })
    this.#timer ??= setTimeout(() => this.#checkSilence(), silenceTimeoutMs)
    return await ended
  }

  interrupt(): void {
    this.#finish('silent')
  }

  [Symbol.dispose](): void {
    this.#finish('done')
    clearTimeout(this.#timer)
    this.#subscription.unsubscribe()
  }

  #checkSilence(): void {
    this.#timer = undefined
    if (this.#resolve === undefined) return
    const remainingMs = this.#activeAt + silenceTimeoutMs - performance.now()
    if (remainingMs <= 0) this.#finish('silent')
    else this.#timer = setTimeout(() => this.#checkSilence(), remainingMs)
  }

  #receive(message: Msg): void {
    this.#activeAt = performance.now()
    if (!message.subject.startsWith(this.#inbox)) {
      this.#onMessage(message)
      if (--this.#remaining <= 0) this.#finish('done')
      return
    }
    const status = message.headers
    if (status === undefined || status.code === 100 || message.subject !== this.#replySubject) return
    const missing = status.code === 503 || /consumer deleted|no responders/i.test(status.description)
    if (missing || this.#pauseMs === 0) this.#finish(missing ? 'missing' : 'done')
    else this.#pause ??= setTimeout(() => this.#finish('done'), this.#pauseMs)
  }

  #finish(result: PullResult): void {
    clearTimeout(this.#pause)
    this.#pause = undefined
    this.#resolve?.(result)
    this.#resolve = undefined
  }
}
