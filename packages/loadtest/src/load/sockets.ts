import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  RealtimeClientFrameSchema,
  RealtimeServerFrameSchema,
  type RealtimeEventEnvelope,
} from '@parley/contracts/realtime'
import { WebSocket } from 'ws'

const hello = (bearerToken: string) =>
  toBinary(
    RealtimeClientFrameSchema,
    create(RealtimeClientFrameSchema, { frame: { case: 'hello', value: { protocolVersion: 1, bearerToken } } }),
  )
const subscribe = toBinary(
  RealtimeClientFrameSchema,
  create(RealtimeClientFrameSchema, { frame: { case: 'subscribeEvents', value: {} } }),
)

export class Sockets implements Disposable {
  readonly #sockets: WebSocket[] = []
  #onMessage: (data: Buffer) => void = () => undefined

  get size(): number {
    return this.#sockets.length
  }

  /** Opens a hundred sockets at a time. */
  async open(url: string, token: string, count: number): Promise<void> {
    const socketUrl = `${url.replace(/^http/, 'ws')}/api/realtime`
    for (let left = count; left > 0; left -= 100)
      await Promise.all(Array.from({ length: Math.min(left, 100) }, () => this.#openOne(socketUrl, token)))
  }

  /** Resolves when all sockets have received a matching event, with the times of the first and the last receipt. */
  expectEvent(matches: (event: RealtimeEventEnvelope) => boolean): Promise<{ first: number; last: number }> {
    const count = this.size
    return new Promise((resolve) => {
      let left = count
      let first = 0
      // Every socket receives the same bytes, so the matching frame is decoded only once.
      let known: Buffer | undefined
      this.#onMessage = (data) => {
        if (!known?.equals(data)) {
          const { frame } = fromBinary(RealtimeServerFrameSchema, data)
          if (frame.case !== 'event' || !matches(frame.value)) return
          known = data
        }
        if (left === count) first = performance.now()
        if (--left === 0) resolve({ first, last: performance.now() })
      }
    })
  }

  /** Resolves after `count` receipts in all, with the time of the last receipt of each message, by its id. */
  receiveMessages(roomId: string, count: number): Promise<Map<string, number>> {
    return new Promise((resolve) => {
      let left = count
      // Every socket receives the same bytes, so they are decoded only once.
      const idByFrame = new Map<string, string | undefined>()
      const lastReceipts = new Map<string, number>()
      this.#onMessage = (data) => {
        const bytes = data.toString('latin1')
        if (!idByFrame.has(bytes)) idByFrame.set(bytes, messageIn(data, roomId))
        const id = idByFrame.get(bytes)
        if (id === undefined) return
        lastReceipts.set(id, performance.now())
        if (--left === 0) resolve(lastReceipts)
      }
    })
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.terminate()
  }

  #openOne(url: string, token: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, { perMessageDeflate: false })
      this.#sockets.push(socket)
      socket.on('error', reject)
      socket.on('open', () => {
        socket.send(hello(token))
        socket.send(subscribe)
      })
      const onOpening = (data: Buffer): void => {
        const { frame } = fromBinary(RealtimeServerFrameSchema, data)
        if (frame.case === 'error') return reject(new Error(`${frame.value.code}: ${frame.value.message}`))
        if (frame.case !== 'subscribed') return
        socket.off('message', onOpening)
        socket.on('message', (message: Buffer) => this.#onMessage(message))
        resolve()
      }
      socket.on('message', onOpening)
    })
  }
}

function messageIn(data: Buffer, roomId: string): string | undefined {
  const { frame } = fromBinary(RealtimeServerFrameSchema, data)
  const event = frame.case === 'event' ? frame.value.event : undefined
  return event?.case === 'messagePosted' && event.value.roomId === roomId ? event.value.messageEventId : undefined
}
