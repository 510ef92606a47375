import type { OutgoingHttpHeaders } from 'node:http'
import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import {
  RealtimeClientFrameSchema,
  RealtimeServerFrameSchema,
  type RealtimeEventEnvelope,
  type RealtimeServerFrame,
} from '@parley/contracts/realtime'
import { eventually } from '@parley/testkit'
import { WebSocket } from 'ws'

type ClientFrame = NonNullable<MessageInitShape<typeof RealtimeClientFrameSchema>['frame']>
type ServerFrame = RealtimeServerFrame['frame']
type Named = Exclude<ServerFrame, { case: undefined }>
type ValueOf = { [Frame in Named as Frame['case']]: Frame['value'] }

export const encodeFrame = (frame: ClientFrame): Uint8Array =>
  toBinary(RealtimeClientFrameSchema, create(RealtimeClientFrameSchema, { frame }))

export class Socket {
  readonly frames: ServerFrame[] = []
  readonly #ws: WebSocket
  #close: { code: number; reason: string } | undefined

  private constructor(ws: WebSocket) {
    this.#ws = ws
    ws.on('message', (data: Buffer) => this.frames.push(fromBinary(RealtimeServerFrameSchema, data).frame))
    ws.on('error', () => undefined) // a close follows
    ws.on('close', (code, reason) => (this.#close = { code, reason: reason.toString() }))
  }

  /** Rejects if the connection is refused. */
  static async open(url: string, headers: OutgoingHttpHeaders = {}): Promise<Socket> {
    const ws = new WebSocket(`${url.replace(/^http/, 'ws')}/api/realtime`, { headers, perMessageDeflate: false })
    const socket = new Socket(ws)
    await new Promise<void>((resolve, reject) => {
      ws.once('open', resolve)
      ws.once('error', reject)
    })
    return socket
  }

  static async openWithHello(url: string, bearerToken: string): Promise<Socket> {
    const socket = await Socket.open(url)
    socket.send({ case: 'hello', value: { protocolVersion: 1, bearerToken } })
    await socket.first('hello')
    return socket
  }

  static async openSubscribed(url: string, bearerToken: string): Promise<Socket> {
    const socket = await Socket.openWithHello(url, bearerToken)
    socket.send({ case: 'subscribeEvents', value: {} })
    await socket.first('subscribed')
    return socket
  }

  get isClosed(): boolean {
    return this.#close !== undefined
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

  /** A string is a text frame. */
  sendRaw(data: string | Uint8Array): void {
    this.#ws.send(data)
  }

  pingRaw(): void {
    this.#ws.ping()
  }

  pongRaw(): void {
    this.#ws.pong()
  }

  pause(): void {
    this.#ws.pause()
  }

  resume(): void {
    this.#ws.resume()
  }

  /** Closes the connection without a closing handshake. */
  close(): void {
    this.#ws.terminate()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** Rejects if the socket is closed without such a frame. */
  async first<Case extends keyof ValueOf>(kind: Case): Promise<ValueOf[Case]> {
    const found = await this.#unlessClosed(() => this.frames.find((frame) => frame.case === kind))
    if (found) return found.value as ValueOf[Case]
    throw new Error(`no ${kind} among ${this.kinds().join(', ')}, closed`)
  }

  kinds(): (string | undefined)[] {
    return this.frames.map((frame) => frame.case)
  }

  /** Rejects if the socket is closed without the event. */
  async waitForEvent(id: string): Promise<void> {
    const received = await this.#unlessClosed(() => this.events.find((event) => event.id === id))
    if (!received) throw new Error(`${id} is not among ${this.eventIds.join(', ') || 'nothing'}, closed`)
  }

  /** Waits until `find` finds something; undefined if the socket is closed before. */
  async #unlessClosed<Found>(find: () => Found | undefined): Promise<Found | undefined> {
    const { found } = await eventually(() => {
      // In this order, because all frames arrive before the close.
      const { isClosed } = this
      const found = find()
      if (found !== undefined || isClosed) return { found }
      throw new Error(`still waiting after ${this.kinds().slice(-20).join(', ')}`)
    })
    return found
  }

  waitForClose(): Promise<{ code: number; reason: string }> {
    return eventually(() => {
      if (this.#close) return this.#close
      throw new Error(`still open after ${this.kinds().join(', ')}`)
    })
  }
}
