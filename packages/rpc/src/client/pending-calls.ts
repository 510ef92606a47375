import { Code, ConnectError } from '@connectrpc/connect'
import { createInbox, headers as natsHeaders, type Msg, type MsgHdrs, type Subscription } from 'nats'
import { callerHeader } from '@parley/auth'
import type { Bus } from '../bus.ts'
import { controlHeader, keyHeader, packRequest, traceHeader, unpackReply } from '../envelope.ts'
import { decodeError, unavailable } from '../errors.ts'
import { isRepeatable, keyedMethods } from '../keys.ts'
import { maxCollectedBytes, maxRequestBytes, partSilenceMs, silenceMs, startByMs, sweepMs } from '../limits.ts'
import { countResend } from '../metrics.ts'
import { methodName, rpcSubject } from '../subjects.ts'
import { Ticker } from '../ticker.ts'
import { PartCollector } from './part-collector.ts'
import type { OutgoingCall, PendingCall, Reply } from './pending-call.ts'

/**
 * Every call of a process that waits for its answer: one inbox subscription, one map, one sweep.
 * A call is sent at most twice; the second time at once when a server says that it did not start, or after silence when
 * the method may be repeated.
 */
export class PendingCalls implements AsyncDisposable {
  readonly #bus: Bus
  readonly #now: () => number
  readonly #sender: string
  readonly #inbox: string
  readonly #subscription: Subscription
  readonly #lost: Disposable
  readonly #pending = new Map<number, PendingCall>()
  readonly #sweep = new Ticker(sweepMs, () => this.#look())
  #lastId = 0
  #collectedBytes = 0
  #closed = false

  constructor(bus: Bus, now: () => number) {
    this.#bus = bus
    this.#now = now
    const inbox = createInbox(bus.inboxPrefix)
    this.#sender = inbox.slice(bus.inboxPrefix.length + 1)
    this.#inbox = `${inbox}.`
    this.#subscription = bus.nc.subscribe(`${this.#inbox}*`, {
      callback: (error, msg) => {
        if (!error) this.#receive(msg)
      },
    })
    this.#lost = bus.onDisconnect(() => this.#failAll(busLost()))
  }

  /** Sends a call and waits for its answer. Rejects with a ConnectError. */
  call(call: OutgoingCall): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const refusal = this.#refusal(call)
      if (refusal) return reject(refusal)
      const now = this.#now()
      const id = ++this.#lastId
      const deadlineAt = now + call.timeoutMs
      const silentAt = now + Math.min(startByMs, call.timeoutMs) + silenceMs
      const pending: PendingCall = {
        id,
        call,
        resolve,
        reject,
        deadlineAt,
        silentAt,
        attempt: 1,
        started: false,
        parts: undefined,
        forget: undefined,
      }
      this.#pending.set(id, pending)
      if (call.signal) this.#follow(pending, call.signal)
      this.#send(pending, now)
      this.#sweep.wake()
    })
  }

  #refusal(call: OutgoingCall): ConnectError | undefined {
    if (call.signal?.aborted) return canceled(call.signal)
    if (call.timeoutMs <= 0) return new ConnectError('no time is left for this call', Code.DeadlineExceeded)
    if (call.body.length > maxRequestBytes) {
      return new ConnectError(`the request is larger than ${maxRequestBytes} bytes`, Code.ResourceExhausted)
    }
    if (this.#closed) return unavailable('this process is shutting down', 'closed')
    if (!this.#bus.connected()) return unavailable('the bus is not connected; try again', 'no-bus')
    return undefined
  }

  #follow(pending: PendingCall, signal: AbortSignal): void {
    const cancel = () => this.#fail(pending, canceled(signal))
    signal.addEventListener('abort', cancel, { once: true })
    pending.forget = () => signal.removeEventListener('abort', cancel)
  }

  #send(pending: PendingCall, now: number): void {
    const reply = this.#inbox + (pending.id * 2 + pending.attempt - 1).toString(36)
    const headers = this.#headers(pending, now)
    try {
      this.#bus.nc.publish(rpcSubject(pending.call.method), pending.call.body, { headers, reply })
    } catch (cause) {
      this.#fail(pending, unavailable('the bus did not take the call; try again', 'no-bus', cause))
    }
  }

  #headers({ call, deadlineAt, attempt }: PendingCall, now: number): MsgHdrs {
    const budgetMs = deadlineAt - now
    const headers = natsHeaders()
    headers.append(
      controlHeader,
      packRequest({ sender: this.#sender, sentAt: now, budgetMs, startByMs: Math.min(startByMs, budgetMs), attempt }),
    )
    if (call.caller) headers.append(callerHeader, call.caller)
    if (call.idempotencyKey) headers.append(keyHeader, call.idempotencyKey)
    if (call.traceparent) headers.append(traceHeader, call.traceparent)
    call.extra?.forEach((value, name) => headers.append(name, value))
    return headers
  }

  #receive(msg: Msg): void {
    const token = Number.parseInt(msg.subject.slice(this.#inbox.length), 36)
    const attempt = (token % 2) + 1
    const pending = this.#pending.get((token - attempt + 1) / 2)
    if (!pending) return
    const headers = msg.headers
    if (!headers) return this.#settle(pending, msg.data, undefined, false)
    if (headers.code === 503) return this.#fail(pending, noOwner(pending.call))
    const packed = headers.get(controlHeader)
    if (!packed) return this.#settle(pending, msg.data, metadataOf(headers), false)
    const control = unpackReply(packed)
    switch (control?.kind) {
      case 'started':
        pending.started = true
        return
      case 'not-started':
        return this.#leftAlone(pending, attempt, control.reason)
      case 'part':
        return this.#collect(pending, attempt, control, msg)
      case 'error':
        return this.#settle(pending, msg.data, metadataOf(headers), true)
      default:
        return this.#fail(pending, unavailable('the reply is of an unknown kind', 'bad-reply'))
    }
  }

  #leftAlone(pending: PendingCall, attempt: number, reason: string): void {
    if (attempt !== pending.attempt) return
    if (attempt === 1) return this.#resend(pending, this.#now(), 'not_started')
    this.#fail(
      pending,
      unavailable(`${methodName(pending.call.method)} was not started: the server is ${reason}`, reason),
    )
  }

  #resend(pending: PendingCall, now: number, reason: 'not_started' | 'silence'): void {
    countResend(pending.call.method, reason)
    pending.attempt = 2
    this.#send(pending, now)
  }

  #collect(
    pending: PendingCall,
    attempt: number,
    part: { index: number; count: number; error: boolean },
    msg: Msg,
  ): void {
    const now = this.#now()
    if (!pending.parts && part.index === 0) {
      const headers = msg.headers && metadataOf(msg.headers)
      pending.parts = { attempt, collector: new PartCollector(part.count, headers, now) }
    }
    if (pending.parts && pending.parts.attempt !== attempt) return
    const collector = pending.parts?.collector
    if (!collector?.add(part.index, part.count, msg.data, now)) return this.#fail(pending, partLost())
    this.#collectedBytes += msg.data.length
    if (this.#collectedBytes > maxCollectedBytes) {
      return this.#fail(pending, unavailable('too many large replies at once; try again', 'overloaded'))
    }
    const whole = collector.whole()
    if (whole) this.#settle(pending, whole, collector.headers, part.error)
  }

  #settle(pending: PendingCall, body: Uint8Array, headers: Map<string, string> | undefined, error: boolean): void {
    if (error) return this.#fail(pending, decodeError(body, headers && Object.fromEntries(headers)))
    this.#remove(pending)
    pending.resolve({ body, headers })
  }

  #fail(pending: PendingCall, error: ConnectError): void {
    this.#remove(pending)
    pending.reject(error)
  }

  #remove(pending: PendingCall): void {
    this.#pending.delete(pending.id)
    this.#collectedBytes -= pending.parts?.collector.bytes ?? 0
    pending.forget?.()
  }

  #failAll(error: ConnectError): void {
    for (const pending of this.#pending.values()) this.#fail(pending, error)
  }

  #look(): boolean {
    const now = this.#now()
    for (const pending of this.#pending.values()) {
      if (now >= pending.deadlineAt) this.#fail(pending, tooLate(pending))
      else if (pending.parts) {
        if (now - pending.parts.collector.heardAt > partSilenceMs) this.#fail(pending, partLost())
      } else if (!pending.started && pending.attempt === 1 && now >= pending.silentAt && isSafe(pending.call)) {
        this.#resend(pending, now, 'silence')
      }
    }
    return this.#pending.size > 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#sweep.stop()
    this.#lost[Symbol.dispose]()
    this.#subscription.unsubscribe()
    this.#failAll(unavailable('this process is shutting down', 'closed'))
  }
}

function isSafe(call: OutgoingCall): boolean {
  return isRepeatable(call.method) || (call.idempotencyKey !== undefined && keyedMethods.has(call.method))
}

/** The handler's headers; undefined when there are none of its own. */
function metadataOf(headers: MsgHdrs): Map<string, string> | undefined {
  let metadata: Map<string, string> | undefined
  for (const [name, values] of headers) {
    if (name === controlHeader) continue
    metadata ??= new Map()
    metadata.set(name, values.join(', '))
  }
  return metadata
}

function tooLate(pending: PendingCall): ConnectError {
  const name = methodName(pending.call.method)
  if (pending.started || pending.deadlineAt < pending.silentAt) {
    return new ConnectError(`${name} took longer than ${Math.round(pending.call.timeoutMs)} ms`, Code.DeadlineExceeded)
  }
  return unavailable(`nothing was heard of ${name}; it may or may not have happened`, 'silence')
}

function canceled(signal: AbortSignal): ConnectError {
  const reason: unknown = signal.reason
  if (reason instanceof ConnectError) return reason
  return new ConnectError('the call was canceled', Code.Canceled, undefined, undefined, reason)
}

const noOwner = (call: OutgoingCall) =>
  unavailable(`nobody answers ${methodName(call.method)} at the moment`, 'no-owner')
const busLost = () => unavailable('the connection to the bus was lost; it may or may not have happened', 'no-bus')
const partLost = () => unavailable('a part of the reply was lost; try again', 'part-lost')
