import type {
  RealtimeError,
  RealtimeEventEnvelope,
  RealtimeServerFrame,
  RealtimeServerHello,
} from '@parley/contracts/realtime'
import { helloFrame, pingFrame, readServerFrame, subscribeFrame } from './frames.ts'
import { InactivityWatch } from './inactivity-watch.ts'
import type { WebSocketConstructor, WebSocketLike } from './web-socket.ts'

/**
 * How a connection ended. `final`: this client closed it, the server asked not to reconnect, or the server sent a fatal
 * error that is not transient.
 */
export type Ending = { final: boolean; reason: string; retryAfterMs: number | undefined }

export type ConnectionOptions = {
  webSocket: WebSocketConstructor
  url: string
  token: string | undefined
  /** Empty if there is none. */
  resumePosition: string
  openTimeoutMs: number
  pingTimeoutMs: number
  /** The connection is open. If `resumed`, the events since `resumePosition` come first. */
  onOpen: (opened: { resumed: boolean; position: string }) => void
  onEvent: (envelope: RealtimeEventEnvelope) => void
  /** Everything up to this position was received. */
  onPosition: (position: string) => void
  /** Called once, last. */
  onEnd: (ending: Ending) => void
}

const resumeCapability = 'svc.realtime.resume.v1'
const transientErrors = new Set(['temporarily_unavailable', 'subscribe_failed'])

/** One socket, from its opening to its end. */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #socket: WebSocketLike
  readonly #openTimer: ReturnType<typeof setTimeout>
  #hello: RealtimeServerHello | undefined
  #watch: InactivityWatch | undefined
  #ended = false

  constructor(options: ConnectionOptions) {
    this.#options = options
    const socket = (this.#socket = new options.webSocket(options.url))
    this.#openTimer = setTimeout(
      () => this.#end(connectionLost('the server took too long to answer')),
      options.openTimeoutMs,
    )
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('open', () => {
      this.#send(helloFrame(options.token))
      // The server accepts both frames at once, so its hello need not be awaited.
      this.#send(subscribeFrame(options.resumePosition))
    })
    socket.addEventListener('message', ({ data }) => this.#receive(data))
    socket.addEventListener('error', () => undefined) // a close event follows
    socket.addEventListener('close', ({ code, reason }) =>
      this.#end(connectionLost(`the socket was closed: ${reason || code}`)),
    )
  }

  close(): void {
    this.#end({ final: true, reason: 'closed', retryAfterMs: undefined })
  }

  #receive(data: unknown): void {
    if (this.#ended) return
    this.#watch?.recordActivity()
    const frame = readServerFrame(data)
    if (frame !== undefined) this.#handle(frame)
  }

  #handle(frame: RealtimeServerFrame['frame']): void {
    switch (frame.case) {
      case 'hello':
        this.#hello = frame.value
        return this.#startWatch(frame.value)
      case 'subscribed': {
        clearTimeout(this.#openTimer)
        const replays = this.#hello?.capabilities.includes(resumeCapability) ?? false
        const resumed = this.#options.resumePosition !== '' && replays && !frame.value.reset
        return this.#options.onOpen({ resumed, position: frame.value.position })
      }
      case 'event':
        return this.#options.onEvent(frame.value)
      case 'error':
        if (!frame.value.fatal) return
        return this.#end(endingOf(frame.value))
      case 'close': {
        const { code, reconnect, retryAfterMs } = frame.value
        return this.#end({ final: !reconnect, reason: code, retryAfterMs })
      }
      case 'heartbeat':
        return this.#options.onPosition(frame.value.position)
      case 'pong':
      case undefined: // a frame of a later protocol version
        return
    }
  }

  #startWatch({ heartbeatIntervalSeconds }: RealtimeServerHello): void {
    this.#watch?.[Symbol.dispose]()
    if (heartbeatIntervalSeconds === 0) return
    this.#watch = new InactivityWatch({
      inactiveMs: heartbeatIntervalSeconds * 1500,
      pongTimeoutMs: this.#options.pingTimeoutMs,
      ping: () => this.#send(pingFrame(String(Date.now()))),
      giveUp: () => this.#end(connectionLost('the server stopped responding')),
    })
  }

  #send(frame: Uint8Array<ArrayBuffer>): void {
    if (!this.#ended) this.#socket.send(frame)
  }

  #end(ending: Ending): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#openTimer)
    this.#watch?.[Symbol.dispose]()
    this.#socket.close(1000)
    this.#options.onEnd(ending)
  }
}

function endingOf({ code, retryAfterMs }: RealtimeError): Ending {
  return { final: !transientErrors.has(code), reason: code, retryAfterMs: retryAfterMs || undefined }
}

const connectionLost = (reason: string): Ending => ({ final: false, reason, retryAfterMs: undefined })
