import { parse } from 'range-parser'
import type { ByteRange } from '../engines/storage/index.ts'

/** Bit in the `code` of the parser: the header, or one of its ranges, is invalid. */
const malformed = 1

/**
 * Undefined means the whole file: the header is missing, invalid or has several ranges. `beyond`: no selected byte
 * exists.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'beyond' | undefined {
  const { code, type, ranges } = parse(size, header ?? '')
  if (type !== 'bytes' || (code & malformed) !== 0) return undefined
  if (ranges.length === 0) return 'beyond'
  return code === 0 && ranges.length === 1 ? ranges[0] : undefined
}
