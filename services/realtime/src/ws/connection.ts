import type { CredentialDigests } from '@parley/credentials'
import {
  authenticationRequired,
  badFrame,
  badHello,
  badSubscribe,
  withTooBigCode,
  subscribeFailed,
  temporarilyUnavailable,
  tooManySockets,
  unsupportedProtocol,
  type FatalError,
  type StreamEnd,
} from '../errors.ts'
import { DependencyUnavailable, type Subscriber, type UserAccess } from '../engines/hub/index.ts'
import { authenticate } from './authenticate.ts'
import { readClientFrame, type Incoming } from './client-frame.ts'
import type { ConnectionContext } from './connection-context.ts'
import { bytesPerSecond, FrameBudget, framesPerSecond } from './frame-budget.ts'
import type { PresentedCredentials } from './presented-credentials.ts'
import { closeFrame, errorFrame, pongFrame, protocolVersion, subscribedFrame } from './server-frames.ts'
import type { WebSocket } from './uws.ts'

export type Socket = Pick<
  WebSocket<unknown>,
  'send' | 'end' | 'cork' | 'subscribe' | 'unsubscribe' | 'getBufferedAmount'
>

type State = 'awaiting hello' | 'authenticating' | 'awaiting subscribe' | 'subscribing' | 'open' | 'ended'

const tooFast = `more than ${framesPerSecond} frames or ${bytesPerSecond / 1024} KiB a second were sent`

const maxEarlyPings = 16

export class Connection implements Subscriber {
  readonly #ws: Socket
  readonly #context: ConnectionContext
  #state: State = 'awaiting hello'
  #presented: PresentedCredentials | undefined
  readonly #budget = new FrameBudget(performance.now())
  #deadline: number
  readonly #openedAt = performance.now()
  /** Random, so that sockets opened together do not all expire together. */
  readonly #ageFactor = 0.75 + Math.random() / 2
  #subscription: { resumePosition: string } | undefined
  #earlyPings: string[] | undefined
  #user: UserAccess | undefined
  #credentialId: string | undefined
  /** Whether the server's hello waits for the answer to the subscription, so that both take one write. */
  #isHelloPending = false
  #waiting: AbortController | undefined

  constructor(ws: Socket, presented: PresentedCredentials, context: ConnectionContext) {
    this.#ws = ws
    this.#presented = presented
    this.#context = context
    this.#deadline = performance.now() + context.handshakeTimeoutMs
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  get credentialId(): string | undefined {
    return this.#credentialId
  }

  get buffered(): number {
    return this.#state === 'ended' ? 0 : this.#ws.getBufferedAmount()
  }

  subscribe(topic: string): void {
    this.#ws.subscribe(topic)
  }

  unsubscribe(topic: string): void {
    this.#ws.unsubscribe(topic)
  }

  isOlderThan(maxAgeMs: number, now: number): boolean {
    return now - this.#openedAt > maxAgeMs * this.#ageFactor
  }

  receive(data: ArrayBuffer, isBinary: boolean): void {
    if (!this.#takeFromBudget(data.byteLength)) return
    const incoming = readClientFrame(data, isBinary)
    switch (this.#state) {
      case 'awaiting hello':
        return this.#receiveHello(incoming)
      case 'authenticating':
      case 'awaiting subscribe':
        return this.#subscription ? this.#receivePing(incoming) : this.#receiveSubscribe(incoming)
      case 'subscribing':
      case 'open':
        return this.#receivePing(incoming)
      case 'ended':
    }
  }

  /** A ping or pong of the WebSocket itself. The library answers pings. */
  receiveControl(data: ArrayBuffer): void {
    this.#takeFromBudget(data.byteLength)
  }

  checkDeadline(now: number): void {
    if (now < this.#deadline) return
    if (this.#state === 'awaiting hello') this.fail(badHello('no hello was received in time'))
    else if (this.#state === 'awaiting subscribe') this.fail(badSubscribe('no subscribe_events was received in time'))
  }

  fail(error: FatalError, delayMs = error.isTemporary ? this.#context.retryAfterMs() : 0): void {
    if (this.#state === 'ended') return
    this.#context.metrics.countFailed(error.code)
    this.#finish(errorFrame(error, delayMs), error.closeCode, error.code)
  }

  end(end: StreamEnd, delayMs = this.#context.retryAfterMs()): void {
    if (this.#state === 'ended') return
    this.#context.metrics.countEnded(end.code)
    const retryAfterMs = end.reconnect ? delayMs : 0
    this.#finish(closeFrame({ ...end, retryAfterMs }), end.closeCode, end.code)
  }

  onClose(): void {
    this.#state = 'ended'
    this.#waiting?.abort()
    if (this.#user) this.#context.hub.detach(this, this.#user)
  }

  #takeFromBudget(bytes: number): boolean {
    if (this.#state === 'ended') return false
    const isWithin = this.#budget.take(bytes, performance.now())
    if (!isWithin) this.fail(badFrame(tooFast))
    return isWithin
  }

  #receiveHello(incoming: Incoming): void {
    if (incoming.kind === 'unreadable') return this.#failUnreadable(incoming, badHello)
    if (incoming.frame.case !== 'hello') return this.fail(badHello('the first frame must be hello'))
    const hello = incoming.frame.value
    if (hello.protocolVersion > protocolVersion) return this.fail(unsupportedProtocol(hello.protocolVersion))
    const address = this.#presented?.address ?? ''
    const digests = this.#presented ? this.#context.digestsToTry(hello.bearerToken, this.#presented) : []
    this.#presented = undefined
    this.#state = 'authenticating'
    this.#deadline = Infinity
    this.#failIfRejected(this.#authenticate(digests, address), temporarilyUnavailable)
  }

  async #authenticate(digests: readonly CredentialDigests[], address: string): Promise<void> {
    const signal = () => (this.#waiting = new AbortController()).signal
    const { caller, error, end, delayMs } = await authenticate(this.#context, { digests, address, signal })
    this.#waiting = undefined
    if (this.#state !== 'authenticating') return
    if (end) return this.end(end, delayMs)
    if (!caller) return this.fail(error ?? authenticationRequired, delayMs)
    const { hub, opener, socketsPerPerson, hello } = this.#context
    if (socketsPerPerson > 0 && hub.socketCountOf(caller.userId) >= socketsPerPerson) return this.fail(tooManySockets)
    this.#user = hub.attach(this, caller)
    this.#credentialId = caller.credentialId
    // Loads while the client prepares its subscription. A failure is reported when the client subscribes.
    opener.loadStandings(this.#user).catch(() => undefined)
    this.#state = 'awaiting subscribe'
    this.#deadline = performance.now() + this.#context.handshakeTimeoutMs
    if (this.#subscription) this.#isHelloPending = true
    else this.#ws.send(hello, true)
    this.#startIfSubscribed()
  }

  #receiveSubscribe(incoming: Incoming): void {
    if (incoming.kind === 'unreadable') return this.#failUnreadable(incoming, badSubscribe)
    if (incoming.frame.case !== 'subscribeEvents')
      return this.fail(badSubscribe('the frame after hello must be subscribe_events'))
    this.#subscription = { resumePosition: incoming.frame.value.resumePosition }
    this.#startIfSubscribed()
  }

  #startIfSubscribed(): void {
    if (!this.#user || !this.#subscription) return
    this.#state = 'subscribing'
    this.#failIfRejected(this.#start(this.#user, this.#subscription.resumePosition), subscribeFailed)
  }

  async #start(user: UserAccess, resumePosition: string): Promise<void> {
    await this.#context.opener.loadStandings(user)
    if (this.#state !== 'subscribing') return
    this.#state = 'open'
    const { hub, metrics } = this.#context
    const replay = resumePosition === '' ? undefined : hub.replay(user, resumePosition)
    const missed = replay && 'frames' in replay ? replay.frames : undefined
    this.#sendAfterHello(() => {
      const isReset = replay !== undefined && missed === undefined
      this.#ws.send(subscribedFrame(missed ? resumePosition : hub.position, isReset), true)
      for (const frame of missed ?? []) this.#ws.send(frame, true)
      hub.subscribe(this, user)
    })
    metrics.countOpened()
    if (missed) metrics.countResumed()
    else if (replay && 'refusal' in replay) metrics.countRefusedResume(replay.refusal)
    for (const nonce of this.#earlyPings ?? []) this.#ws.send(pongFrame(nonce), true)
    this.#earlyPings = undefined
  }

  #receivePing(incoming: Incoming): void {
    if (incoming.kind === 'unreadable') return this.#failUnreadable(incoming, badFrame)
    if (incoming.frame.case !== 'ping') return this.fail(badFrame('only ping may follow subscribe_events'))
    const { nonce } = incoming.frame.value
    if (this.#state === 'open') this.#ws.send(pongFrame(nonce), true)
    else if ((this.#earlyPings ??= []).push(nonce) > maxEarlyPings)
      this.fail(badFrame('too many pings before subscribed'))
  }

  #failUnreadable(incoming: Incoming & { kind: 'unreadable' }, error: (message: string) => FatalError): void {
    this.fail(incoming.tooLong ? withTooBigCode(error(incoming.why)) : error(incoming.why))
  }

  #failIfRejected(step: Promise<void>, failure: FatalError): void {
    step.catch((error: unknown) => {
      if (!(error instanceof DependencyUnavailable)) this.#context.metrics.reportOpeningFailure(error)
      this.fail(failure)
    })
  }

  #finish(frame: Uint8Array, closeCode: number, reason: string): void {
    this.onClose()
    this.#sendAfterHello(() => this.#ws.send(frame, true))
    this.#ws.end(closeCode, reason)
  }

  #sendAfterHello(send: () => void): void {
    this.#ws.cork(() => {
      if (this.#isHelloPending) this.#ws.send(this.#context.hello, true)
      this.#isHelloPending = false
      send()
    })
  }
}
