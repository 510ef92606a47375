import type { OutgoingHttpHeaders } from 'node:http'
import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import {
  RealtimeClientFrameSchema,
  RealtimeServerFrameSchema,
  type RealtimeEventEnvelope,
  type RealtimeServerFrame,
} from '@parley/contracts/realtime'
import { eventually } from '@parley/tooling/eventually'
import { WebSocket } from 'ws'

type ClientFrame = NonNullable<MessageInitShape<typeof RealtimeClientFrameSchema>['frame']>
type ServerFrame = RealtimeServerFrame['frame']
type AnyFrame = Exclude<ServerFrame, { case: undefined }>
type FrameValues = { [Frame in AnyFrame as Frame['case']]: Frame['value'] }

/** An event whose consumer was killed, as in some suites, is delivered again only after a minute. */
const redeliveryTimeout = { timeoutMs: 100_000 }

export const encodeFrame = (frame: ClientFrame): Uint8Array =>
  toBinary(RealtimeClientFrameSchema, create(RealtimeClientFrameSchema, { frame }))

/** A realtime connection that records the frames it receives. */
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
  static async open(base: string, headers: OutgoingHttpHeaders = {}): Promise<Socket> {
    const ws = new WebSocket(`${base.replace(/^http/, 'ws')}/api/realtime`, { headers, perMessageDeflate: false })
    const socket = new Socket(ws)
    await new Promise<void>((resolve, reject) => {
      ws.once('open', resolve)
      ws.once('error', reject)
    })
    return socket
  }

  static async openWithHello(base: string, token: string): Promise<Socket> {
    const socket = await Socket.open(base)
    await socket.hello(token)
    return socket
  }

  static async subscribe(base: string, token: string): Promise<Socket> {
    const socket = await Socket.openWithHello(base, token)
    socket.send({ case: 'subscribeEvents', value: {} })
    await socket.first('subscribed')
    return socket
  }

  get isClosed(): boolean {
    return this.#close !== undefined
  }

  get kinds(): (string | undefined)[] {
    return this.frames.map((frame) => frame.case)
  }

  get events(): RealtimeEventEnvelope[] {
    return this.frames.flatMap((frame) => (frame.case === 'event' ? [frame.value] : []))
  }

  get eventIds(): string[] {
    return this.events.map(({ id }) => id)
  }

  send(frame: ClientFrame): void {
    this.#ws.send(encodeFrame(frame))
  }

  /** A string is sent as a text frame, bytes as a binary frame. */
  sendRaw(data: string | Uint8Array): void {
    this.#ws.send(data)
  }

  pingRaw(): void {
    this.#ws.ping()
  }

  pongRaw(): void {
    this.#ws.pong()
  }

  /** The socket can still send. */
  pause(): void {
    this.#ws.pause()
  }

  resume(): void {
    this.#ws.resume()
  }

  async hello(token: string) {
    this.send({ case: 'hello', value: { protocolVersion: 1, bearerToken: token } })
    return this.first('hello')
  }

  /** Fails when the socket is closed without a frame of this kind. */
  first<Case extends keyof FrameValues>(kind: Case): Promise<FrameValues[Case]> {
    return this.#find(kind, () => {
      const found = this.frames.find((frame) => frame.case === kind)
      return found && (found.value as FrameValues[Case])
    })
  }

  /** Fails when the socket is closed without a matching event. */
  waitFor(matches: (event: RealtimeEventEnvelope) => boolean): Promise<RealtimeEventEnvelope> {
    return this.#find('event', () => this.events.find(matches))
  }

  waitForEvent(id: string): Promise<RealtimeEventEnvelope> {
    return this.waitFor((event) => event.id === id)
  }

  waitForMessage(eventId: string): Promise<RealtimeEventEnvelope> {
    return this.waitFor(({ event }) => event.case === 'messagePosted' && event.value.messageEventId === eventId)
  }

  /** Waits for the answer to a ping: then everything that the server sent before it has arrived. */
  async roundTrip(): Promise<void> {
    const nonce = String(Math.random())
    this.send({ case: 'ping', value: { nonce } })
    await eventually(() => this.frames.some((frame) => frame.case === 'pong' && frame.value.nonce === nonce))
  }

  async waitUntilClosed(): Promise<{ code: number; reason: string }> {
    return eventually(() => {
      if (this.#close !== undefined) return this.#close
      throw new Error(`the socket is still open; ${this.#received()}`)
    })
  }

  async #find<T>(what: string, find: () => T | undefined): Promise<T> {
    const { found } = await eventually(() => {
      // In this order, because all frames arrive before the close.
      const { isClosed } = this
      const found = find()
      if (found === undefined && !isClosed) throw new Error(`no ${what} arrived; ${this.#received()}`)
      return { found }
    }, redeliveryTimeout)
    if (found === undefined) throw new Error(`the socket is closed, and no ${what} arrived; ${this.#received()}`)
    return found
  }

  #received(): string {
    const kinds = this.frames.map((frame) => (frame.case === 'event' ? frame.value.event.case : frame.case))
    return `received: ${kinds.slice(-20).join(', ') || 'nothing'}`
  }

  /** Ends the connection without a closing handshake. */
  close(): void {
    this.#ws.terminate()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}
