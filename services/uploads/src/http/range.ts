import { parse } from 'range-parser'
import type { ByteRange } from '../engines/storage/index.ts'

/** Result of the parser for an invalid range. */
const malformed = 1

/**
 * The bytes selected by a Range header. Undefined means the whole file, for no range, several or an invalid one;
 * `beyond` means that the range is outside the file.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'beyond' | undefined {
  const { code, type, ranges } = parse(size, header ?? '')
  if (type !== 'bytes' || (code & malformed) !== 0) return undefined
  if (ranges.length === 0) return 'beyond'
  return code === 0 && ranges.length === 1 ? ranges[0] : undefined
}
