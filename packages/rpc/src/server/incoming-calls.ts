import { Code, ConnectError } from '@connectrpc/connect'
import { headers as natsHeaders } from 'nats'
import { nextSharedTick, isRecording, logger } from '@parley/telemetry'
import { controlHeader, traceHeader, unpackRequest, type NotStartedReason } from '../envelope.ts'
import { startedAfterMs, sweepMs } from '../limits.ts'
import { countNotStarted, countServed, reportCalls } from '../metrics.ts'
import type { Delivery } from '../in-process.ts'
import { callSpan } from '../spans.ts'
import { Ticker } from '../ticker.ts'
import { Admission, type Admissible } from './admission.ts'
import { CallContext } from './call-context.ts'
import { failureOf } from './failure.ts'
import { answer, type HandlerOptions } from './pipeline.ts'
import { sendNotStarted, sendStarted, sendAnswer, sendError } from './reply.ts'
import type { ServedMethod } from './routes.ts'
import { ClockSkew } from './clock-skew.ts'

const log = logger('rpc')
const tickMs = 5_000

export type IncomingOptions = HandlerOptions & {
  readonly concurrency: number
  readonly queueLimit: number
  readonly now: () => number
}

type Running = {
  readonly delivery: Delivery
  readonly context: CallContext
  readonly attempt: number
  readonly arrivedAt: number
  started: boolean
}

/** The calls that have arrived at this process. Decides whether to start each, runs it, and replies to its caller. */
export class IncomingCalls implements Disposable {
  readonly #options: IncomingOptions
  readonly #admission: Admission
  readonly #skew: ClockSkew
  #tickTimer: NodeJS.Timeout | undefined
  readonly #running = new Set<Running>()
  readonly #sweep = new Ticker(sweepMs, () => this.#check())
  #draining = false
  #onIdle: (() => void) | undefined

  constructor(options: IncomingOptions) {
    this.#options = options
    this.#admission = new Admission(options.concurrency, options.queueLimit, options.now)
    this.#skew = new ClockSkew(options.now())
    this.#scheduleTick()
  }

  #scheduleTick(): void {
    const tick = (): void => {
      this.#skew.tick(this.#options.now())
      this.#scheduleTick()
    }
    this.#tickTimer = setTimeout(tick, nextSharedTick(tickMs) - performance.now()).unref()
  }

  receive(served: ServedMethod, delivery: Delivery): void {
    const arrivedAt = this.#options.now()
    const headers = delivery.headers ?? natsHeaders()
    const control = unpackRequest(headers.get(controlHeader))
    if (!control) {
      sendError(delivery, new ConnectError('the request has no valid control header', Code.InvalidArgument))
      return
    }
    const ageMs = this.#skew.age(control.sender, control.sentAt, arrivedAt)
    const startByAt = arrivedAt + control.startByMs - ageMs
    const deadlineAt = arrivedAt + control.budgetMs - ageMs
    if (this.#draining) return refuse(delivery, 'draining')
    if (arrivedAt > startByAt) return refuse(delivery, 'late')
    this.#admission.enter(this.#candidate(served, delivery, control.attempt, { arrivedAt, startByAt, deadlineAt }))
  }

  #candidate(
    served: ServedMethod,
    delivery: Delivery,
    attempt: number,
    { arrivedAt, startByAt, deadlineAt }: { arrivedAt: number; startByAt: number; deadlineAt: number },
  ): Admissible {
    return {
      startByAt,
      refuse: (reason) => refuse(delivery, reason),
      begin: () => {
        const context = new CallContext(served.method, delivery.headers ?? natsHeaders(), deadlineAt, this.#options.now)
        const running = { delivery, context, attempt, arrivedAt, started: false }
        this.#running.add(running)
        this.#sweep.start()
        this.#run(served, running).catch((error: unknown) => log.error({ error }, 'no reply was sent'))
      },
    }
  }

  async #run(served: ServedMethod, running: Running): Promise<void> {
    const { delivery, context, arrivedAt } = running
    const { now } = this.#options
    const isTraced = isRecording()
    let code: Code | undefined
    try {
      code = isTraced
        ? await this.#answerTraced(served, running)
        : sendAnswer(delivery, await answer(served, context, delivery.data, this.#options), context)
    } catch (error) {
      code = sendError(delivery, isTraced ? ConnectError.from(error) : failureOf(error, context))
    } finally {
      context.end()
      this.#running.delete(running)
      this.#admission.leave()
      countServed(served.method, code, now() - arrivedAt)
      if (this.#admission.size === 0) this.#onIdle?.()
    }
  }

  #answerTraced(served: ServedMethod, { delivery, context, attempt }: Running): Promise<Code | undefined> {
    const parent = context.getHeader(traceHeader) ?? ''
    return callSpan(served.method, { kind: 'server', system: 'nats', parent, attempt }, async () => {
      try {
        return sendAnswer(delivery, await answer(served, context, delivery.data, this.#options), context)
      } catch (error) {
        // Inside the span, so that the log line about the failure has the trace of the call.
        throw failureOf(error, context)
      }
    })
  }

  /** Sends `started` for long calls, aborts calls whose deadline has passed, and refuses calls that waited too long. */
  #check(): boolean {
    const now = this.#options.now()
    for (const running of this.#running) {
      if (!running.started && now - running.arrivedAt >= startedAfterMs) {
        running.started = true
        sendStarted(running.delivery)
      }
      running.context.checkDeadline()
    }
    this.#admission.refuseLate()
    return this.#admission.size > 0
  }

  get full(): boolean {
    return this.#admission.full
  }

  /** Reports the numbers of running and waiting calls until the result is disposed. */
  reportMetrics(deployable: string): Disposable {
    return reportCalls(deployable, { running: () => this.#admission.running, waiting: () => this.#admission.waiting })
  }

  drain(): void {
    this.#draining = true
  }

  /** Waits at most for the given time. Returns the number of calls that still run or wait. */
  async waitUntilIdle(timeoutMs: number): Promise<number> {
    if (this.#admission.size > 0) {
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, timeoutMs)
        this.#onIdle = () => {
          clearTimeout(limit)
          resolve()
        }
      })
    }
    this[Symbol.dispose]()
    return this.#admission.size
  }

  [Symbol.dispose](): void {
    this.#sweep.stop()
    clearTimeout(this.#tickTimer)
  }
}

function refuse(delivery: Delivery, reason: NotStartedReason): void {
  countNotStarted(reason)
  sendNotStarted(delivery, reason)
}
