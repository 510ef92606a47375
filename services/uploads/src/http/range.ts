import { parse } from 'range-parser'
import type { ByteRange } from '../engines/storage/index.ts'

/** In what the parser answers: some range is not understood. */
const malformed = 1

/**
 * The bytes that a Range header asks for, of so many; undefined for all of them: no range, several, or none that is
 * understood; `beyond` when there is no such byte.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'beyond' | undefined {
  const { code, type, ranges } = parse(size, header ?? '')
  if (type !== 'bytes' || (code & malformed) !== 0) return undefined
  if (ranges.length === 0) return 'beyond'
  return code === 0 && ranges.length === 1 ? ranges[0] : undefined
}
