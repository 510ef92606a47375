const initialBytes = 64 * 1024
/** If a large message made the buffer larger than this, the buffer is replaced after the message. */
const maxRetainedBytes = 1024 * 1024
/**
 * Text of at most this length is written character by character if it is ASCII, which is faster than a call of
 * `Buffer.write`.
 */
const shortText = 48

/**
 * Writes the wire format into one buffer, which is reused for each message. A tag is a field number and its wire type,
 * as one number.
 */
export class Writer {
  #buffer = Buffer.allocUnsafeSlow(initialBytes)
  #at = 0

  /** The bytes written since the last call. */
  finish(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#at)
    bytes.set(this.#buffer.subarray(0, this.#at))
    this.reset()
    return bytes
  }

  /** Discards everything written. */
  reset(): void {
    this.#at = 0
    if (this.#buffer.length > maxRetainedBytes) this.#buffer = Buffer.allocUnsafeSlow(initialBytes)
  }

  uint32(tag: number, value: number): void {
    if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) throw new Error(`invalid uint32: ${value}`)
    this.#reserve(20)
    this.#varint(tag)
    this.#varint(value)
  }

  int32(tag: number, value: number): void {
    if (!Number.isInteger(value) || value < -0x80000000 || value > 0x7fffffff)
      throw new Error(`invalid int32: ${value}`)
    this.#reserve(20)
    this.#varint(tag)
    if (value < 0) this.#varint64(BigInt.asUintN(64, BigInt(value)))
    else this.#varint(value)
  }

  bool(tag: number, value: boolean): void {
    this.#reserve(20)
    this.#varint(tag)
    this.#buffer[this.#at++] = value ? 1 : 0
  }

  int64(tag: number, value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) throw new Error(`invalid int64: ${value}`)
    this.#reserve(20)
    this.#varint(tag)
    this.#varint64(BigInt.asUintN(64, value))
  }

  uint64(tag: number, value: bigint): void {
    if (BigInt.asUintN(64, value) !== value) throw new Error(`invalid uint64: ${value}`)
    this.#reserve(20)
    this.#varint(tag)
    this.#varint64(value)
  }

  double(tag: number, value: number): void {
    this.#reserve(20)
    this.#varint(tag)
    this.#at = this.#buffer.writeDoubleLE(value, this.#at)
  }

  string(tag: number, text: string): void {
    const { length } = text
    this.#reserve(20 + 3 * length)
    this.#varint(tag)
    const start = ++this.#at
    if (length > shortText || !this.#ascii(text)) {
      this.#at = start + this.#buffer.write(text, start, 'utf8')
    }
    this.close(start)
  }

  bytes(tag: number, value: Uint8Array): void {
    this.#reserve(20 + value.length)
    this.#varint(tag)
    this.#varint(value.length)
    this.#buffer.set(value, this.#at)
    this.#at += value.length
  }

  /** Begins a message, a map entry or a packed list, which {@link close} ends. Returns the argument for `close`. */
  open(tag: number): number {
    this.#reserve(20)
    this.#varint(tag)
    return ++this.#at
  }

  /**
   * Ends what {@link open} began: writes the length before it. If the length needs more than one byte, the bytes after
   * it are shifted.
   */
  close(start: number): void {
    const length = this.#at - start
    if (length < 0x80) {
      this.#buffer[start - 1] = length
      return
    }
    const more = length < 0x4000 ? 1 : length < 0x200000 ? 2 : length < 0x10000000 ? 3 : 4
    this.#reserve(more)
    this.#buffer.copyWithin(start + more, start, this.#at)
    this.#at = start - 1
    this.#varint(length)
    this.#at += length
  }

  /** Writes the unknown fields of a decoded message unchanged. */
  unknown(fields: readonly { readonly no: number; readonly wireType: number; readonly data: Uint8Array }[]): void {
    for (const { no, wireType, data } of fields) {
      this.#reserve(20 + data.length)
      this.#varint(((no << 3) | wireType) >>> 0)
      this.#buffer.set(data, this.#at)
      this.#at += data.length
    }
  }

  /** Writes an item of a packed list of enum values or int32. */
  packed(value: number): void {
    this.#reserve(20)
    if (!Number.isInteger(value) || value < -0x80000000 || value > 0x7fffffff)
      throw new Error(`invalid int32: ${value}`)
    if (value < 0) this.#varint64(BigInt.asUintN(64, BigInt(value)))
    else this.#varint(value)
  }

  /** Makes room for the given number of additional bytes. */
  #reserve(bytes: number): void {
    const needed = this.#at + bytes
    if (needed <= this.#buffer.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length))
    this.#buffer.copy(grown, 0, 0, this.#at)
    this.#buffer = grown
  }

  /** Writes a number from 0 to 2^32 - 1. */
  #varint(value: number): void {
    while (value > 0x7f) {
      this.#buffer[this.#at++] = (value & 0x7f) | 0x80
      value >>>= 7
    }
    this.#buffer[this.#at++] = value
  }

  #varint64(value: bigint): void {
    if (value <= 0xffffffffn) return this.#varint(Number(value))
    while (value > 0x7fn) {
      this.#buffer[this.#at++] = Number(value & 0x7fn) | 0x80
      value >>= 7n
    }
    this.#buffer[this.#at++] = Number(value)
  }

  /** Writes text if it is ASCII. Returns whether it was. */
  #ascii(text: string): boolean {
    let at = this.#at
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code > 0x7f) return false
      this.#buffer[at++] = code
    }
    this.#at = at
    return true
  }
}
