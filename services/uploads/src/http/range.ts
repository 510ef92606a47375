import type { ByteRange } from '../engines/storage/index.ts'

/**
 * The bytes that a Range header asks for, of so many; undefined for all of them: no range, several, or none that is
 * understood; `beyond` when there is no such byte.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'beyond' | undefined {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') return clipped(size - Number(last), size - 1, size)
  if (last !== '' && Number(last) < Number(first)) return undefined
  return clipped(Number(first), last === '' ? size - 1 : Number(last), size)
}

const clipped = (start: number, end: number, size: number): ByteRange | 'beyond' =>
  Math.max(start, 0) >= size ? 'beyond' : { start: Math.max(start, 0), end: Math.min(end, size - 1) }
