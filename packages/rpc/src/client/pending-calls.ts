import { ConnectError, type Code } from '@connectrpc/connect'
import { nuid, type Msg, type MsgHdrs } from 'nats'
import type { Bus } from '../bus.ts'
import { controlHeader, unpackReply } from '../envelope.ts'
import { decodeError } from '../errors.ts'
import { isSafeToRepeat } from '../keys.ts'
import {
  maxCollectedBytes,
  partSilenceMs,
  repeatSilenceMs,
  repeatStartByMs,
  silenceMs,
  startByMs,
  sweepMs,
} from '../limits.ts'
import { countCalled, countResend } from '../metrics.ts'
import type { Delivery, FindReceiver, Receiver } from '../in-process.ts'
import { rpcSubject } from '../subjects.ts'
import { Ticker } from '../ticker.ts'
import * as errors from './call-errors.ts'
import { replyMetadata, requestHeaders } from './call-headers.ts'
import { Inboxes } from './inboxes.ts'
import { PartCollector } from './part-collector.ts'
import type { OutgoingCall, PendingCall, Reply } from './pending-call.ts'

const attemptsPerId = 1_000

export type PendingCallsOptions = {
  /** Deployables in the same process, which are called without the bus. */
  readonly findReceiver?: FindReceiver | undefined
  /** Monotonic, in milliseconds. */
  readonly now: () => number
}

/**
 * All calls of a process that wait for a reply, in one map that is swept periodically.
 *
 * A call is sent again at once when a server answers `not_started`; a second `not_started` fails it. No reply at all
 * means that the process that received the call is frozen or dead. If the call is safe to repeat, it is sent again, at
 * short intervals while no reply arrives, because the queue group may pick the frozen process several times. A live
 * server runs at most one copy: it replies or reports the start before the next copy is sent. When the frozen process
 * resumes, its copies have expired.
 *
 * A deployable in this process is called in memory first; a second attempt goes over the bus, to any of its processes.
 */
export class PendingCalls implements AsyncDisposable {
  readonly #bus: Bus
  readonly #findReceiver: FindReceiver | undefined
  readonly #now: () => number
  readonly #sender = nuid.next()
  readonly #inboxes: Inboxes
  readonly #disconnectListener: Disposable
  readonly #pending = new Map<number, PendingCall>()
  readonly #sweep = new Ticker(sweepMs, () => this.#check())
  #lastId = 0
  #collectedBytes = 0
  #closed = false

  constructor(bus: Bus, { now, findReceiver }: PendingCallsOptions) {
    this.#bus = bus
    this.#findReceiver = findReceiver
    this.#now = now
    this.#inboxes = new Inboxes(bus, (inbox, msg) => this.#receive(inbox, msg))
    this.#disconnectListener = bus.onDisconnect(() => this.#busLost())
  }

  /** Rejects with a ConnectError. */
  call(call: OutgoingCall): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const refusal = this.#closed ? errors.closing() : errors.refusal(call)
      if (refusal) return reject(refusal)
      const now = this.#now()
      const pending: PendingCall = {
        id: ++this.#lastId,
        inbox: this.#inboxes.prefixFor(call.method),
        call,
        inMemory: false,
        resolve,
        reject,
        deadlineAt: now + call.timeoutMs,
        repeatable: isSafeToRepeat(call.method, call.idempotencyKey),
        attempt: 0,
        refused: false,
        started: false,
        replyExpectedBy: 0,
        parts: undefined,
        stopListening: undefined,
      }
      this.#pending.set(pending.id, pending)
      if (call.signal) this.#cancelOnAbort(pending, call.signal)
      this.#send(pending, now, startByMs, silenceMs)
      this.#sweep.start()
    })
  }

  #cancelOnAbort(pending: PendingCall, signal: AbortSignal): void {
    const cancel = () => this.#fail(pending, errors.canceled(signal))
    signal.addEventListener('abort', cancel, { once: true })
    pending.stopListening = () => signal.removeEventListener('abort', cancel)
  }

  #send(pending: PendingCall, now: number, startBy: number, silence: number): void {
    const { call } = pending
    const attempt = ++pending.attempt
    const budgetMs = pending.deadlineAt - now
    pending.replyExpectedBy = now + startBy + silence
    const control = { sender: this.#sender, sentAt: now, budgetMs, startByMs: Math.min(startBy, budgetMs), attempt }
    const headers = requestHeaders(call, control)
    try {
      const receiver = attempt === 1 ? this.#findReceiver?.(call.method) : undefined
      pending.inMemory = receiver !== undefined
      if (receiver) this.#deliver(receiver, pending, attempt, headers)
      else this.#publish(pending, attempt, headers)
    } catch (cause) {
      this.#fail(pending, cause instanceof ConnectError ? cause : errors.noBus(cause))
    }
  }

  #publish(pending: PendingCall, attempt: number, headers: MsgHdrs): void {
    if (!this.#bus.connected()) throw errors.noBus()
    const { call } = pending
    const reply = pending.inbox + (pending.id * attemptsPerId + attempt).toString(36)
    this.#bus.nc.publish(rpcSubject(call.method), call.body, { headers, reply })
  }

  /** The handler must not run synchronously inside the caller. */
  #deliver(receiver: Receiver, pending: PendingCall, attempt: number, headers: MsgHdrs): void {
    const respond: Delivery['respond'] = (data, { headers: replyHeaders } = {}) => {
      if (this.#pending.has(pending.id)) this.#handleReply(pending, attempt, data, replyHeaders)
    }
    queueMicrotask(() => receiver({ data: pending.call.body, headers, respond }))
  }

  #receive(inbox: string, msg: Msg): void {
    const token = Number.parseInt(msg.subject.slice(inbox.length), 36)
    const attempt = token % attemptsPerId
    const pending = this.#pending.get((token - attempt) / attemptsPerId)
    if (pending?.inbox === inbox) this.#handleReply(pending, attempt, msg.data, msg.headers)
  }

  #handleReply(pending: PendingCall, attempt: number, data: Uint8Array, headers: MsgHdrs | undefined): void {
    if (!headers) return this.#succeed(pending, data, undefined)
    if (headers.code === 503) return this.#fail(pending, errors.noOwner(pending.call))
    const packed = headers.get(controlHeader)
    if (!packed) return this.#succeed(pending, data, replyMetadata(headers))
    const control = unpackReply(packed)
    switch (control?.kind) {
      case 'started':
        pending.started = true
        return
      case 'not-started':
        return this.#handleNotStarted(pending, attempt, control.reason)
      case 'error':
        return this.#failWithReply(pending, data, replyMetadata(headers))
      case 'part':
        return this.#collect(pending, attempt, control, { data, headers })
      default:
        return this.#fail(pending, errors.unknownReply())
    }
  }

  #handleNotStarted(pending: PendingCall, attempt: number, reason: string): void {
    if (attempt !== pending.attempt) return
    if (pending.refused) return this.#fail(pending, errors.notStarted(pending.call, reason))
    pending.refused = true
    countResend(pending.call.method, 'not_started')
    this.#send(pending, this.#now(), startByMs, silenceMs)
  }

  #collect(
    pending: PendingCall,
    attempt: number,
    part: { index: number; count: number; error: boolean },
    msg: Pick<Msg, 'data' | 'headers'>,
  ): void {
    const now = this.#now()
    pending.parts ??= { attempt, collector: new PartCollector(part.count, replyMetadata(msg.headers), now) }
    const { collector } = pending.parts
    if (pending.parts.attempt !== attempt) return
    if (!collector.add(part.index, part.count, msg.data, now)) return this.#fail(pending, errors.partLost())
    this.#collectedBytes += msg.data.length
    if (this.#collectedBytes > maxCollectedBytes) return this.#fail(pending, errors.tooManyParts())
    const whole = collector.whole()
    if (!whole) return
    if (part.error) this.#failWithReply(pending, whole, collector.headers)
    else this.#succeed(pending, whole, collector.headers)
  }

  #succeed(pending: PendingCall, body: Uint8Array, headers: Map<string, string> | undefined): void {
    this.#remove(pending)
    pending.resolve({ body, headers })
  }

  #failWithReply(pending: PendingCall, body: Uint8Array, headers: Map<string, string> | undefined): void {
    this.#fail(pending, decodeError(body, headers && Object.fromEntries(headers)))
  }

  #fail(pending: PendingCall, error: ConnectError): void {
    this.#remove(pending, error.code)
    pending.reject(error)
  }

  #remove(pending: PendingCall, code?: Code): void {
    this.#pending.delete(pending.id)
    countCalled(pending.call.method, code, this.#now() - (pending.deadlineAt - pending.call.timeoutMs))
    this.#collectedBytes -= pending.parts?.collector.bytes ?? 0
    pending.stopListening?.()
  }

  #failAll(error: ConnectError): void {
    for (const pending of this.#pending.values()) this.#fail(pending, error)
  }

  #busLost(): void {
    for (const pending of this.#pending.values()) if (!pending.inMemory) this.#fail(pending, errors.busLost())
  }

  #check(): boolean {
    const now = this.#now()
    for (const pending of this.#pending.values()) {
      if (now >= pending.deadlineAt) {
        this.#fail(pending, errors.deadlinePassed(pending.call, pending.started))
      } else if (pending.parts) {
        if (now - pending.parts.collector.receivedAt > partSilenceMs) this.#fail(pending, errors.partLost())
      } else if (!pending.started && now >= pending.replyExpectedBy && !pending.inMemory) {
        this.#checkUnanswered(pending, now)
      }
    }
    return this.#pending.size > 0
  }

  #checkUnanswered(pending: PendingCall, now: number): void {
    this.#bus.verify()
    if (!pending.repeatable) {
      pending.replyExpectedBy = Infinity
      return
    }
    countResend(pending.call.method, 'silence')
    this.#send(pending, now, repeatStartByMs, repeatSilenceMs)
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#sweep.stop()
    this.#disconnectListener[Symbol.dispose]()
    this.#inboxes[Symbol.dispose]()
    this.#failAll(errors.closing())
    return Promise.resolve()
  }
}
