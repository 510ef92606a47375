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
const ownParsers = new Map<number, Parse>([
  [INT8, (value) => BigInt(value)],
  [INT8_ARRAY, parseInt8Array],
])

function parserOf(oid: number, format: 'text' | 'binary' = 'text'): Parse {
  return (format === 'text' && ownParsers.get(oid)) || (pg.types.getTypeParser(oid, format) as Parse)
}

export const typeParsers: pg.CustomTypesConfig = { getTypeParser: parserOf }

/** Converts values from drizzle's types to those that the pool returns. */
const converters = new Map<number, (value: unknown) => unknown>([
  [INT8, toBigInt],
  [INT8_ARRAY, (value) => (Array.isArray(value) ? value.map(toBigInt) : value)],
  [TIMESTAMPTZ, reparse(TIMESTAMPTZ)],
  [TIMESTAMPTZ_ARRAY, reparse(TIMESTAMPTZ_ARRAY)],
])

/** Undefined if no conversion is needed. */
export function converterFor(oid: number): ((value: unknown) => unknown) | undefined {
  return converters.get(oid)
}

function toBigInt(item: unknown): unknown {
  return typeof item === 'string' ? BigInt(item) : item
}

function reparse(oid: number): (value: unknown) => unknown {
  return (value) => (typeof value === 'string' ? parserOf(oid)(value) : value)
}
