import { randomFillSync } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

// The largest multiple of 62 that fits in a byte; using bytes from here on would favour the first digits.
const biasFreeLimit = 248

const pool = Buffer.alloc(4096)
let next = pool.length

/** `length` random base62 digits from the system's secure generator. */
export function randomBase62(length: number): string {
  let digits = ''
  while (digits.length < length) {
    if (next === pool.length) {
      randomFillSync(pool)
      next = 0
    }
    const byte = pool.readUInt8(next++)
    if (byte < biasFreeLimit) digits += alphabet.charAt(byte % 62)
  }
  return digits
}

/** The lowest `length` base62 digits of a number, the lowest digit first. */
export function base62(value: bigint, length: number): string {
  let digits = ''
  for (let rest = value; digits.length < length; rest /= 62n) digits += alphabet.charAt(Number(rest % 62n))
  return digits
}
