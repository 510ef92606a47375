/** Reads protobuf's wire format. Methods throw a RangeError if the bytes are not a message. */
export class WireReader {
  readonly #bytes: Buffer
  #at: number
  #end: number

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = 0
    this.#end = bytes.length
  }

  get done(): boolean {
    return this.#at >= this.#end
  }

  /** The next field's number and wire type, as `number << 3 | type`. */
  tag(): number {
    return this.#varint()
  }

  string(): string {
    const start = this.#span()
    return this.#bytes.toString('utf8', start, this.#at)
  }

  /** A view of the bytes, not a copy. */
  bytes(): Uint8Array {
    const start = this.#span()
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + start, this.#at - start)
  }

  bool(): boolean {
    return this.#varint() !== 0
  }

  int32(): number {
    return Number(BigInt.asIntN(32, this.uint64()))
  }

  int64(): bigint {
    return BigInt.asIntN(64, this.uint64())
  }

  uint64(): bigint {
    // Almost every number is small: the first 49 bits fit a double exactly.
    let value = 0
    for (let factor = 1; factor <= 2 ** 42; factor *= 128) {
      const byte = this.#byte()
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return BigInt(value)
    }
    let large = BigInt(value)
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.#byte()
      large |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, large)
    }
    throw new RangeError('a number is too long')
  }

  message(field: (tag: number) => void): void {
    const start = this.#span()
    const [end, outer] = [this.#at, this.#end]
    this.#at = start
    this.#end = end
    while (this.#at < end) field(this.tag())
    this.#end = outer
    this.#at = end
  }

  skip(tag: number): void {
    const type = tag & 7
    if (type === 0) this.uint64()
    else if (type === 1) this.#move(8)
    else if (type === 2) this.#span()
    else if (type === 5) this.#move(4)
    else throw new RangeError(`unknown wire type ${type}`)
  }

  #span(): number {
    const length = this.#varint()
    const start = this.#at
    this.#move(length)
    return start
  }

  #move(length: number): void {
    this.#at += length
    if (this.#at > this.#end) throw new RangeError('the message is cut off')
  }

  #varint(): number {
    let value = 0
    for (let factor = 1; factor <= 2 ** 28; factor *= 128) {
      const byte = this.#byte()
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
    throw new RangeError('a tag, length or boolean is too long')
  }

  #byte(): number {
    if (this.#at >= this.#end) throw new RangeError('the message is cut off')
    return this.#bytes[this.#at++] ?? 0
  }
}
