import type { Caller } from '@parley/auth'
import {
  authenticationRequired,
  badFrame,
  badHello,
  badSubscribe,
  oversized,
  subscribeFailed,
  temporarilyUnavailable,
  unsupportedProtocol,
  type FatalError,
  type StreamEnd,
} from '../errors.ts'
import type { UserAccess } from '../hub/user-access.ts'
import { readClientFrame, type Incoming } from './client-frame.ts'
import { closeFrame, errorFrame, helloFrame, pongFrame, protocolVersion, subscribedFrame } from './server-frames.ts'
import type { ConnectionContext } from './connection-context.ts'
import type { WebSocket } from './uws.ts'

/** What the upgrade request carried. */
export type Presented = { authorizationToken: string | undefined; cookieHandle: string | undefined }
export type Socket = WebSocket<{ connection: Connection | undefined; presented: Presented }>

type State = 'awaiting hello' | 'authenticating' | 'awaiting subscribe' | 'subscribing' | 'open' | 'ended'

/** One socket, from its first frame to its last: hello, subscribe_events, then pings. */
export class Connection {
  readonly #ws: Socket
  readonly #context: ConnectionContext
  #state: State = 'awaiting hello'
  /** When the step under way must be done, in the clock of `performance.now()`. */
  #deadline: number
  #wantsEvents: { resumePosition: string } | undefined
  user: UserAccess | undefined
  /** Digest of the credential in use. */
  digest: Buffer | undefined

  constructor(ws: Socket, context: ConnectionContext) {
    this.#ws = ws
    this.#context = context
    this.#deadline = performance.now() + context.handshakeTimeoutMs
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  subscribe(topic: string): void {
    this.#ws.subscribe(topic)
  }

  unsubscribe(topic: string): void {
    this.#ws.unsubscribe(topic)
  }

  /** Bytes the socket has not taken yet. */
  get buffered(): number {
    return this.#state === 'ended' ? 0 : this.#ws.getBufferedAmount()
  }

  receive(data: ArrayBuffer, isBinary: boolean): void {
    const incoming = readClientFrame(data, isBinary)
    switch (this.#state) {
      case 'awaiting hello':
        return this.#receiveHello(incoming)
      case 'authenticating':
      case 'awaiting subscribe':
        return this.#receiveSubscribe(incoming)
      case 'subscribing':
      case 'open':
        return this.#receivePing(incoming)
      case 'ended':
    }
  }

  /** Fails the step under way when its time is over. */
  checkDeadline(now: number): void {
    if (now < this.#deadline) return
    if (this.#state === 'awaiting hello') this.fail(badHello('no hello came in time'))
    else if (this.#state === 'awaiting subscribe') this.fail(badSubscribe('no subscribe_events came in time'))
  }

  /** Tells the client what it did wrong, then closes. */
  fail(error: FatalError): void {
    if (this.#state === 'ended') return
    this.#context.metrics.failed(error.code)
    this.#finish(errorFrame(error), error.closeCode, error.code)
  }

  /** Ends a healthy stream. */
  end(end: StreamEnd): void {
    if (this.#state === 'ended') return
    this.#context.metrics.ended(end.code)
    const retryAfterMs = end.reconnect ? this.#context.retryAfterMs() : 0
    this.#finish(closeFrame({ ...end, retryAfterMs }), end.closeCode, end.code)
  }

  /** The socket is gone. */
  closed(): void {
    this.#state = 'ended'
    this.#context.hub.detach(this)
  }

  #receiveHello(incoming: Incoming): void {
    if (incoming.kind === 'unreadable') return this.#reject(incoming, badHello)
    if (incoming.frame.case !== 'hello') return this.fail(badHello('the first frame must be hello'))
    const hello = incoming.frame.value
    if (hello.protocolVersion > protocolVersion) return this.fail(unsupportedProtocol(hello.protocolVersion))
    const digests = this.#context.digests(hello.bearerToken, this.#ws.getUserData().presented)
    if (digests.length === 0) return this.fail(authenticationRequired)
    this.#state = 'authenticating'
    this.#deadline = Infinity
    void this.#authenticate(digests)
  }

  async #authenticate(digests: readonly Buffer[]): Promise<void> {
    let found: { caller: Caller; digest: Buffer } | undefined
    try {
      found = await this.#context.opening.authenticate(digests)
    } catch (error) {
      this.#context.metrics.dependencyFailed('accounts', error)
      return this.fail(temporarilyUnavailable)
    }
    if (this.#state !== 'authenticating') return
    if (!found) return this.fail(authenticationRequired)
    this.digest = found.digest
    this.user = this.#context.hub.attach(this, found.caller)
    this.#state = 'awaiting subscribe'
    this.#deadline = performance.now() + this.#context.handshakeTimeoutMs
    this.#ws.send(helloFrame(this.#context.serverVersion, Math.round(this.#context.heartbeatIntervalMs / 1000)), true)
    if (this.#wantsEvents) void this.#subscribe(this.user, this.#wantsEvents.resumePosition)
    // Where the user stands is read while the client prepares its subscription; a failure is told when it subscribes.
    else this.#context.opening.load(this.user).catch(() => undefined)
  }

  #receiveSubscribe(incoming: Incoming): void {
    if (incoming.kind === 'unreadable') return this.#reject(incoming, badSubscribe)
    if (incoming.frame.case !== 'subscribeEvents' || this.#wantsEvents)
      return this.fail(badSubscribe('the frame after hello must be subscribe_events, once'))
    this.#wantsEvents = { resumePosition: incoming.frame.value.resumePosition }
    if (this.user) void this.#subscribe(this.user, incoming.frame.value.resumePosition)
  }

  async #subscribe(user: UserAccess, resumePosition: string): Promise<void> {
    this.#state = 'subscribing'
    try {
      await this.#context.opening.load(user)
    } catch (error) {
      this.#context.metrics.dependencyFailed('rooms', error)
      return this.fail(subscribeFailed)
    }
    if (this.#state !== 'subscribing') return
    this.#state = 'open'
    this.#ws.cork(() => {
      // Nothing is replayed on this node: whoever comes with a position is told to read anew.
      this.#ws.send(subscribedFrame(this.#context.hub.position, resumePosition !== ''), true)
      this.#context.hub.subscribe(this, user)
    })
    this.#context.metrics.opened()
  }

  #receivePing(incoming: Incoming): void {
    if (incoming.kind === 'unreadable') return this.#reject(incoming, badFrame)
    if (incoming.frame.case !== 'ping') return this.fail(badFrame('only ping may follow subscribe_events'))
    this.#ws.send(pongFrame(incoming.frame.value.nonce), true)
  }

  #reject(incoming: Incoming & { kind: 'unreadable' }, error: (message: string) => FatalError): void {
    this.fail(incoming.tooLong ? oversized(error(incoming.why)) : error(incoming.why))
  }

  #finish(frame: Uint8Array, closeCode: number, reason: string): void {
    this.#state = 'ended'
    this.#ws.send(frame, true)
    this.#ws.end(closeCode, reason)
  }
}
