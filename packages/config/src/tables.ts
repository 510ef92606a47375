import { Mistake, Mistakes, type Field, type Given } from './field.ts'
import { readField } from './read-field.ts'

/** The settings of one row, by their key; a dot separates a nested table from its key. */
export type Columns = Readonly<Record<string, Field<unknown>>>

/** The values of one row. */
export type RowOf<C extends Columns> = { readonly [K in keyof C]: C[K] extends Field<infer T> ? T : never }

/** A row, and the names of its settings in error messages. */
export type Row<C extends Columns> = { readonly values: RowOf<C>; readonly name: (key: keyof C & string) => string }

/**
 * Passed instead of variable names for a column: its names contain the number of the row, and are derived for each row.
 */
export const byPlace: string[] = []

/**
 * Reads a repeated table such as `[[auth.providers]]`. Each setting of row n can also be set in the environment as
 * `PARLEY_AUTH_PROVIDERS_<n>_<KEY>`, which takes precedence. Further rows may be set only in the environment. Numbers
 * start at 0 and have no gaps. Throws {@link Mistakes} with the errors of all rows.
 */
export function readTables<C extends Columns>(toml: string, columns: C, given: Given): Row<C>[] {
  const place = placeOf(toml)
  const inFile = tablesOfFile(toml, columns, given)
  const inEnv = numbersOfEnv(place, columns, given.env)
  const mistakes = [...inFile.mistakes, ...inEnv.mistakes]
  const rows: Row<C>[] = []
  for (const n of rowNumbers(inFile.count, inEnv.numbers, place, mistakes)) {
    const fields = Object.entries(columns).map(([key, field]) => [key, placed(field, toml, n, key)] as const)
    const values: Record<string, unknown> = {}
    for (const [key, field] of fields) {
      try {
        values[key] = readField(field, given)
      } catch (error) {
        if (!(error instanceof Mistake)) throw error
        mistakes.push(error.message)
      }
    }
    if (fields.every(([key]) => key in values)) {
      rows.push({ values: values as RowOf<C>, name: (key) => `${place}${n}_${suffix(key)}` })
    }
  }
  if (mistakes.length > 0) throw new Mistakes(mistakes)
  return rows
}

/** The columns as the documentation lists them. */
export const documentedColumns = (toml: string, columns: Columns): Field<unknown>[] =>
  Object.entries(columns).map(([key, field]) => ({
    ...field,
    env: [`${placeOf(toml)}<n>_${suffix(key)}`],
    toml: `${toml}[].${key}`,
  }))

const placeOf = (toml: string): string => `PARLEY_${suffix(toml)}_`
const suffix = (key: string): string => key.replaceAll('.', '_').toUpperCase()

const placed = (field: Field<unknown>, toml: string, n: number, key: string): Field<unknown> => ({
  ...field,
  env: [`${placeOf(toml)}${n}_${suffix(key)}`],
  toml: `${toml}.${n}.${key}`,
})

function rowNumbers(inFile: number, inEnv: ReadonlySet<number>, place: string, mistakes: string[]): number[] {
  const beyond = [...inEnv].filter((n) => n >= inFile).sort((a, b) => a - b)
  const gap = beyond.find((n, i) => n !== inFile + i)
  if (gap !== undefined)
    mistakes.push(`${place}${gap}_...: there is a gap in the numbers before ${gap}; they start at 0`)
  return [...Array(inFile).keys(), ...beyond]
}

function numbersOfEnv(place: string, columns: Columns, env: NodeJS.ProcessEnv) {
  const known = new Set(Object.keys(columns).map(suffix))
  const numbers = new Set<number>()
  const mistakes: string[] = []
  for (const name of Object.keys(env).filter((candidate) => candidate.startsWith(place) && env[candidate])) {
    const [, n, key] = /^(0|[1-9]\d{0,5})_(.*)$/.exec(name.slice(place.length)) ?? []
    if (n === undefined || !known.has(key ?? '')) mistakes.push(`${name}: is not a setting; is it misspelt?`)
    else numbers.add(Number(n))
  }
  return { numbers, mistakes: mistakes.sort() }
}

function tablesOfFile(toml: string, columns: Columns, { file }: Given): { count: number; mistakes: string[] } {
  const given = file?.get(toml)
  if (!file || given === undefined) return { count: 0, mistakes: [] }
  if (!Array.isArray(given) || !given.every(isTable)) {
    return { count: 0, mistakes: [`${toml} in ${file.path}: must be repeated tables, [[${toml}]]`] }
  }
  const mistakes = given.flatMap((table, n) =>
    keysOf(table)
      .filter((key) => !Object.hasOwn(columns, key))
      .map((key) => `${toml}.${n}.${key} in ${file.path}: is not a setting; is it misspelt?`),
  )
  return { count: given.length, mistakes }
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function keysOf(table: Record<string, unknown>): string[] {
  return Object.entries(table).flatMap(([key, value]) =>
    isTable(value) ? keysOf(value).map((inner) => `${key}.${inner}`) : [key],
  )
}
