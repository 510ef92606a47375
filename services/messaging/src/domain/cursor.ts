import { cursorInvalid } from '../errors.ts'

const prefix = 'tl:'
const currentVersion = 1

export function encodeCursor(seq: bigint): string {
  const bytes = Buffer.alloc(9)
  bytes.writeUInt8(currentVersion, 0)
  bytes.writeBigUInt64BE(seq, 1)
  return prefix + bytes.toString('base64url')
}

/** Returns undefined for an empty cursor. Throws `invalid_argument` for one that `encodeCursor` did not make. */
export function decodeCursor(cursor: string): bigint | undefined {
  if (cursor === '') return undefined
  const bytes = Buffer.from(cursor.slice(prefix.length), 'base64url')
  if (bytes.length !== 9 || bytes.readUInt8(0) !== currentVersion) throw cursorInvalid()
  const seq = bytes.readBigUInt64BE(1)
  if (seq > maxPlace || encodeCursor(seq) !== cursor) throw cursorInvalid()
  return seq
}

/** Higher than the place of any event: the largest bigint of PostgreSQL. */
export const maxPlace = 2n ** 63n - 1n

export type Position = { before: bigint } | { after: bigint } | undefined

export function positionOf(cursor: { case?: string | undefined; value?: string | undefined }): Position {
  const seq = decodeCursor(cursor.value ?? '')
  if (seq === undefined) return undefined
  return cursor.case === 'after' ? { after: seq } : { before: seq }
}
