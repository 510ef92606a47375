import { connect, type Socket } from 'node:net'

/** The mask is zero, so the bytes of the message stay as they are. The message must be shorter than 64 KiB. */
function encodeFrame(message: Uint8Array): Buffer {
  const isLong = message.length > 125
  const length = isLong ? [0xfe, message.length >> 8, message.length & 0xff] : [0x80 | message.length]
  return Buffer.concat([Buffer.from([0x82, ...length, 0, 0, 0, 0]), message])
}

const upgrade = (host: string, path: string): string =>
  [
    ...[`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: Upgrade', 'Upgrade: websocket'],
    ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''],
  ].join('\r\n')

const endOfHead = Buffer.from('\r\n\r\n')

/** Uses little CPU time, because the server under test needs it. */
export class LeanSocket {
  readonly #socket: Socket
  readonly #onMessage: (message: Buffer) => void
  #unread: Buffer = Buffer.alloc(0)
  #isOpen = false

  /** `onEnd` is called if the connection fails, or if the server refuses the socket or closes it. */
  constructor(
    url: URL,
    messages: readonly Uint8Array[],
    { onMessage, onEnd }: { onMessage: (message: Buffer) => void; onEnd: (error: Error) => void },
  ) {
    this.#onMessage = onMessage
    const first = Buffer.concat(messages.map(encodeFrame))
    const socket = (this.#socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true }))
    socket.write(upgrade(url.host, url.pathname))
    socket.on('data', (data) => {
      this.#unread = this.#unread.length === 0 ? data : Buffer.concat([this.#unread, data])
      if (!this.#isOpen) {
        const status = this.#readHead()
        if (status === undefined) return
        if (!status.includes(' 101 ')) {
          this.drop()
          return onEnd(new Error(`the server refused the socket: ${status}`))
        }
        this.#isOpen = true
        socket.write(first)
      }
      this.#readFrames()
    })
    socket.on('error', onEnd)
    socket.on('end', () => onEnd(new Error('the server closed the socket')))
  }

  /** Sends no close frame, like a client that crashes. */
  drop(): void {
    this.#socket.removeAllListeners('end')
    this.#socket.destroy()
  }

  #readHead(): string | undefined {
    const end = this.#unread.indexOf(endOfHead)
    if (end < 0) return undefined
    const status = this.#unread.toString('latin1', 0, this.#unread.indexOf('\r\n'))
    this.#unread = this.#unread.subarray(end + endOfHead.length)
    return status
  }

  #readFrames(): void {
    for (;;) {
      const data = this.#unread
      const short = (data[1] ?? 0) & 0x7f
      const head = short === 127 ? 10 : short === 126 ? 4 : 2
      if (data.length < head) return
      const length = short === 127 ? Number(data.readBigUInt64BE(2)) : short === 126 ? data.readUInt16BE(2) : short
      if (data.length < head + length) return
      this.#unread = data.subarray(head + length)
      // Only binary frames matter. Pings need no answer in the short time that a measurement takes.
      if (((data[0] ?? 0) & 0x0f) === 2) this.#onMessage(data.subarray(head, head + length))
    }
  }
}
