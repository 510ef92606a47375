import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { RealtimeClientFrameSchema, RealtimeServerFrameSchema } from '@parley/contracts/realtime'
import type { WebSocketConstructor, WebSocketLike } from '@parley/client'

type ServerFrame = NonNullable<MessageInitShape<typeof RealtimeServerFrameSchema>['frame']>

/** A socket for which the test acts as the server. */
class FakeSocket extends EventTarget implements WebSocketLike {
  readonly url: string
  binaryType = 'blob'
  closed = false
  readonly sent: ReturnType<typeof decode>[] = []

  constructor(url: string) {
    super()
    this.url = url
  }

  declare addEventListener: WebSocketLike['addEventListener']

  send(data: Uint8Array): void {
    this.sent.push(decode(data))
  }

  close(): void {
    this.closed = true
  }

  accept(): void {
    this.dispatchEvent(new Event('open'))
  }

  sendFrame(frame: ServerFrame): void {
    const bytes = toBinary(RealtimeServerFrameSchema, create(RealtimeServerFrameSchema, { frame }))
    this.dispatchEvent(Object.assign(new Event('message'), { data: bytes.slice().buffer }))
  }

  drop(): void {
    this.closed = true
    this.dispatchEvent(Object.assign(new Event('close'), { code: 1006, reason: '' }))
  }

  /** The server accepts the connection and the subscription, so that the stream is open. */
  serve(options: { capabilities?: string[]; position?: string; reset?: boolean } = {}): void {
    const { capabilities = [], position = '', reset = false } = options
    this.accept()
    this.sendFrame({ case: 'hello', value: { protocolVersion: 1, heartbeatIntervalSeconds: 10, capabilities } })
    this.sendFrame({ case: 'subscribed', value: { position, reset } })
  }

  post(id: string, position = ''): void {
    const value = { roomId: 'R1', messageEventId: id }
    this.sendFrame({ case: 'event', value: { id, position, event: { case: 'messagePosted', value } } })
  }
}

const decode = (data: Uint8Array) => fromBinary(RealtimeClientFrameSchema, data).frame

export function fakeSockets() {
  const sockets: FakeSocket[] = []
  const webSocket: WebSocketConstructor = class extends FakeSocket {
    constructor(url: string) {
      super(url)
      sockets.push(this)
    }
  }
  const last = () => {
    const socket = sockets.at(-1)
    if (socket === undefined) throw new Error('no socket was opened')
    return socket
  }
  return { webSocket, sockets, last }
}
