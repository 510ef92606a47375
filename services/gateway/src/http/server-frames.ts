import { Transform, type TransformCallback } from 'node:stream'

const finalBit = 0x80
const opcodeBits = 0x0f
const lengthBits = 0x7f
/** Control frames may come between the fragments of a message. */
const firstControl = 0x8

/**
 * Forwards frames (RFC 6455) and tracks where a message ends, so that the stream can be ended there with frames of our
 * own.
 */
export class ServerFrames extends Transform {
  readonly #head: number[] = []
  #left = 0
  #inMessage = false
  #finalFrames: Buffer | undefined
  #isEnded = false

  /** Takes effect at the end of the current message; later frames of the server are dropped. */
  endWith(frames: Buffer): void {
    this.#finalFrames ??= frames
    if (this.#isBetweenMessages()) this.#end()
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    for (let at = 0; at < chunk.length && !this.#isEnded;) {
      at += this.#consume(chunk, at)
      if (this.#finalFrames === undefined || !this.#isBetweenMessages()) continue
      this.push(chunk.subarray(0, at))
      this.#end()
    }
    if (!this.#isEnded) this.push(chunk)
    done()
  }

  #isBetweenMessages(): boolean {
    return this.#left === 0 && this.#head.length === 0 && !this.#inMessage
  }

  #consume(chunk: Buffer, at: number): number {
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
    if (this.#isEnded) return
    this.#isEnded = true
    this.push(this.#finalFrames)
    this.push(null)
  }
}

export function serverFrame(opcode: 'binary' | 'close', payload: Uint8Array): Buffer {
  if (payload.length > 125) throw new RangeError(`${payload.length} bytes are too many for a short frame`)
  return Buffer.concat([Buffer.from([finalBit | (opcode === 'binary' ? 0x2 : 0x8), payload.length]), payload])
}
