import type { DescMethodUnary, DescService } from '@bufbuild/protobuf'
import { Code, ConnectError, createContextValues, type ContextValues, type HandlerContext } from '@connectrpc/connect'
import type { MsgHdrs } from 'nats'
import type { Caller } from '@parley/credentials'
import { controlHeader } from '../envelope.ts'
import { rpcSubject } from '../subjects.ts'

/** Expensive parts are created on first use. */
export class CallContext implements HandlerContext {
  readonly method: DescMethodUnary
  readonly requestMethod = 'POST'
  readonly protocolName = 'nats'
  /** Set by the first `callerOf`, which runs before the handler if the method needs a caller. */
  caller: Caller | undefined
  readonly #received: MsgHdrs
  readonly #deadlineAt: number
  readonly #now: () => number
  #requestHeader: Headers | undefined
  #responseHeader: Headers | undefined
  #responseTrailer: Headers | undefined
  #values: ContextValues | undefined
  #abort: AbortController | undefined

  constructor(method: DescMethodUnary, received: MsgHdrs, deadlineAt: number, now: () => number) {
    this.method = method
    this.#received = received
    this.#deadlineAt = deadlineAt
    this.#now = now
  }

  get service(): DescService {
    return this.method.parent
  }

  get url(): string {
    return `nats:${rpcSubject(this.method)}`
  }

  get requestHeader(): Headers {
    if (!this.#requestHeader) {
      this.#requestHeader = new Headers()
      for (const [name, values] of this.#received) {
        if (name !== controlHeader) for (const value of values) this.#requestHeader.append(name, value)
      }
    }
    return this.#requestHeader
  }

  get responseHeader(): Headers {
    return (this.#responseHeader ??= new Headers())
  }

  get responseTrailer(): Headers {
    return (this.#responseTrailer ??= new Headers())
  }

  get values(): ContextValues {
    return (this.#values ??= createContextValues())
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController()
      if (this.expired) this.#abort.abort(deadlineExceeded())
    }
    return this.#abort.signal
  }

  timeoutMs(): number {
    return this.#deadlineAt - this.#now()
  }

  /** Makes no Headers object. Undefined if the header is absent or empty. */
  getHeader(name: string): string | undefined {
    return this.#received.get(name) || undefined
  }

  /** Undefined if the handler never accessed them. */
  get replyHeaders(): { header: Headers | undefined; trailer: Headers | undefined } | undefined {
    if (!this.#responseHeader && !this.#responseTrailer) return undefined
    return { header: this.#responseHeader, trailer: this.#responseTrailer }
  }

  get expired(): boolean {
    return this.#now() >= this.#deadlineAt
  }

  /** Aborts the signal, if the handler has accessed it and the deadline has passed. */
  checkDeadline(): void {
    if (this.#abort && this.expired) this.#abort.abort(deadlineExceeded())
  }

  /** Aborts the signal, if the handler has accessed it, to stop work that the call started. */
  end(): void {
    this.#abort?.abort(callEnded)
  }
}

/** Shared by all calls, because it is never shown and creating an error costs more than aborting the signal. */
const callEnded = new ConnectError('the call is over', Code.Canceled)

export function deadlineExceeded(): ConnectError {
  return new ConnectError('deadline exceeded', Code.DeadlineExceeded)
}
