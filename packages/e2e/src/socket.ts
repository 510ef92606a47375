import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import {
  RealtimeClientFrameSchema,
  type RealtimeEventEnvelope,
  type RealtimeServerFrame,
  RealtimeServerFrameSchema,
} from '@parley/contracts/realtime'
import { eventually } from '@parley/testkit'
import { WebSocket } from 'ws'

type ClientFrame = NonNullable<MessageInitShape<typeof RealtimeClientFrameSchema>['frame']>
type ServerFrame = RealtimeServerFrame['frame']
type AnyFrame = Exclude<ServerFrame, { case: undefined }>
type FrameValues = { [Frame in AnyFrame as Frame['case']]: Frame['value'] }

/** An event whose consumer was killed, as in some suites, is delivered again only after a minute. */
const redeliveryTimeout = { timeoutMs: 100_000 }

export class Socket implements Disposable {
  readonly #ws: WebSocket
  readonly frames: ServerFrame[] = []
  #close: { code: number; reason: string } | undefined

  private constructor(ws: WebSocket) {
    this.#ws = ws
    ws.on('message', (data: Buffer) => this.frames.push(fromBinary(RealtimeServerFrameSchema, data).frame))
    ws.on('error', () => undefined) // a close follows
    ws.on('close', (code, reason) => (this.#close = { code, reason: reason.toString() }))
  }

  /** Throws when the connection is refused. */
  static async open(base: string, headers: Record<string, string> = {}): Promise<Socket> {
    const ws = new WebSocket(`${base.replace(/^http/, 'ws')}/api/realtime`, { headers, perMessageDeflate: false })
    const socket = new Socket(ws)
    await new Promise<void>((resolve, reject) => {
      ws.once('open', resolve)
      ws.once('error', reject)
    })
    return socket
  }

  static async subscribe(base: string, token: string): Promise<Socket> {
    const socket = await Socket.open(base)
    await socket.hello(token)
    socket.send({ case: 'subscribeEvents', value: {} })
    await socket.first('subscribed')
    return socket
  }

  waitUntilClosed(): Promise<{ code: number; reason: string }> {
    return eventually(() => {
      if (this.#close !== undefined) return this.#close
      throw new Error(`the socket is still open; ${describe(this.frames)}`)
    })
  }

  get isClosed(): boolean {
    return this.#close !== undefined
  }

  get events(): RealtimeEventEnvelope[] {
    return this.frames.flatMap((frame) => (frame.case === 'event' ? [frame.value] : []))
  }

  /** The socket can still send. */
  pause(): void {
    this.#ws.pause()
  }

  send(frame: ClientFrame): void {
    this.#ws.send(toBinary(RealtimeClientFrameSchema, create(RealtimeClientFrameSchema, { frame })))
  }

  /** A string is sent as a text frame, bytes as a binary frame. */
  sendRaw(data: string | Uint8Array): void {
    this.#ws.send(data)
  }

  async hello(token: string) {
    this.send({ case: 'hello', value: { protocolVersion: 1, bearerToken: token } })
    return this.first('hello')
  }

  /** Fails when the socket is closed without a frame of this kind. */
  first<Case extends keyof FrameValues>(kind: Case): Promise<FrameValues[Case]> {
    return this.#waitForFrame(kind, () => {
      const found = this.frames.find((frame) => frame.case === kind)
      return found && (found.value as FrameValues[Case])
    })
  }

  /** Fails when the socket is closed without a matching event. */
  waitFor(matches: (event: RealtimeEventEnvelope) => boolean): Promise<RealtimeEventEnvelope> {
    return this.#waitForFrame('event', () => this.events.find(matches))
  }

  /** Fails when the socket is closed without the message. */
  waitForMessage(eventId: string): Promise<RealtimeEventEnvelope> {
    return this.waitFor(({ event }) => event.case === 'messagePosted' && event.value.messageEventId === eventId)
  }

  /** Waits for the answer to a ping: then everything that the server sent before it has arrived. */
  async roundTrip(): Promise<void> {
    const nonce = String(Math.random())
    this.send({ case: 'ping', value: { nonce } })
    await eventually(() => this.frames.some((frame) => frame.case === 'pong' && frame.value.nonce === nonce))
  }

  async #waitForFrame<T>(what: string, find: () => T | undefined): Promise<T> {
    const { found } = await eventually(() => {
      const found = find()
      if (found === undefined && !this.isClosed) throw new Error(`no ${what} arrived; ${describe(this.frames)}`)
      return { found }
    }, redeliveryTimeout)
    if (found === undefined) throw new Error(`the socket is closed, and no ${what} arrived; ${describe(this.frames)}`)
    return found
  }

  [Symbol.dispose](): void {
    this.#ws.terminate()
  }
}

function describe(frames: ServerFrame[]): string {
  return `received: ${frames.map((frame) => (frame.case === 'event' ? frame.value.event.case : frame.case)).join(', ') || 'nothing'}`
}
