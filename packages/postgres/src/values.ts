import pg from 'pg'

const INT8 = 20
const INT8_ARRAY = 1016
const TIMESTAMPTZ = 1184
const TIMESTAMPTZ_ARRAY = 1185

type Parse = (value: string) => unknown

const parseInt8Array: Parse = (value) => {
  const items = value.slice(1, -1)
  return items === '' ? [] : items.split(',').map((item) => (item === 'NULL' ? null : BigInt(item)))
}

/** Parsers that differ from the driver's: int8 becomes a bigint, not a string. */
const ours = new Map<number, Parse>([
  [INT8, (value) => BigInt(value)],
  [INT8_ARRAY, parseInt8Array],
])

/** What the pool parses values with. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parse {
    return (format !== 'binary' && ours.get(oid)) || (pg.types.getTypeParser(oid, format ?? 'text') as Parse)
  },
}

/** Types that drizzle hands over as the server wrote them, although the pool would parse them. */
const leftByDrizzle = new Set([INT8, INT8_ARRAY, TIMESTAMPTZ, TIMESTAMPTZ_ARRAY])

/** The parser for a column of a hand-written statement that went through drizzle; undefined when it is parsed already. */
export function parserFor(oid: number): Parse | undefined {
  return leftByDrizzle.has(oid) ? (typeParsers.getTypeParser(oid, 'text') as Parse) : undefined
}
