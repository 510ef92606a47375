import { Transform, type TransformCallback } from 'node:stream'

const finalBit = 0x80
const opcodeBits = 0x0f
const lengthBits = 0x7f
/** Opcodes from here on are control frames, which may come between the parts of a message. */
const firstControl = 0x8

/**
 * Forwards the frames of the server's side of a WebSocket (RFC 6455) and tracks where a message ends, because only
 * there other frames can be inserted.
 */
export class ServerFrames extends Transform {
  /** Bytes of the head that began. */
  readonly #head: number[] = []
  /** Remaining bytes of the frame. */
  #left = 0
  #inMessage = false
  #last: Buffer | undefined
  #ended = false

  /** Ends the stream with these frames at the end of the current message; later frames of the server are dropped. */
  endWith(frames: Buffer): void {
    this.#last ??= frames
    if (this.#isBetween()) this.#end()
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    for (let at = 0; at < chunk.length && !this.#ended;) {
      at += this.#take(chunk, at)
      if (this.#last === undefined || !this.#isBetween()) continue
      this.push(chunk.subarray(0, at))
      this.#end()
    }
    if (!this.#ended) this.push(chunk)
    done()
  }

  #isBetween(): boolean {
    return this.#left === 0 && this.#head.length === 0 && !this.#inMessage
  }

  /** Consumes a byte of a header, or the chunk's part of a payload; returns the number of consumed bytes. */
  #take(chunk: Buffer, at: number): number {
    if (this.#left > 0) {
      const taken = Math.min(this.#left, chunk.length - at)
      this.#left -= taken
      return taken
    }
    this.#head.push(chunk[at] ?? 0)
    const [first = 0, second = 0] = this.#head
    const length = second & lengthBits
    const more = length === 127 ? 8 : length === 126 ? 2 : 0
    if (this.#head.length < 2 + more) return 1
    const extended = this.#head.splice(0).slice(2)
    this.#left = more === 0 ? length : extended.reduce((sum, byte) => sum * 256 + byte, 0)
    if ((first & opcodeBits) < firstControl) this.#inMessage = (first & finalBit) === 0
    return 1
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.push(this.#last)
    this.push(null)
  }
}

/** A complete unmasked frame of up to 125 bytes. */
export function serverFrame(opcode: 'binary' | 'close', payload: Uint8Array): Buffer {
  if (payload.length > 125) throw new RangeError(`${payload.length} bytes are too many for a short frame`)
  return Buffer.concat([Buffer.from([finalBit | (opcode === 'binary' ? 0x2 : 0x8), payload.length]), payload])
}
