import { SettingError, SettingErrors, type Field, type LoadedSources } from './field.ts'
import { readField } from './read-field.ts'

/** Settings by key; a dot separates a nested table from its key. */
export type Columns = Readonly<Record<string, Field<unknown>>>

export type RowOf<C extends Columns> = { readonly [K in keyof C]: C[K] extends Field<infer T> ? T : never }

export type Row<C extends Columns> = { readonly values: RowOf<C>; readonly name: (key: keyof C & string) => string }

/** The empty `env` of a column: each row has its own variables, with its number in their names. */
export const envNamesPerRow: string[] = []

/**
 * Reads an array of tables such as `[[auth.providers]]`. Each setting of row n can also be set in the environment as
 * `PARLEY_AUTH_PROVIDERS_<n>_<KEY>`, which takes precedence. The environment may add rows after those of the file.
 * Numbers start at 0 and have no gaps. Throws {@link SettingErrors} with the errors of all rows.
 */
export function readTables<C extends Columns>(toml: string, columns: C, sources: LoadedSources): Row<C>[] {
  const prefix = prefixOf(toml)
  const inFile = tablesOfFile(toml, columns, sources)
  const inEnv = numbersOfEnv(prefix, columns, sources.env)
  const problems = [...inFile.problems, ...inEnv.problems]
  const rows: Row<C>[] = []
  for (const n of rowNumbers(inFile.count, inEnv.numbers, prefix, problems)) {
    const fields = Object.entries(columns).map(([key, field]) => [key, fieldOfRow(field, toml, n, key)] as const)
    const values: Record<string, unknown> = {}
    for (const [key, field] of fields) {
      try {
        values[key] = readField(field, sources)
      } catch (error) {
        if (!(error instanceof SettingError)) throw error
        problems.push(error.message)
      }
    }
    if (fields.every(([key]) => key in values)) {
      rows.push({ values: values as RowOf<C>, name: (key) => `${prefix}${n}_${suffix(key)}` })
    }
  }
  if (problems.length > 0) throw new SettingErrors(problems)
  return rows
}

/** The columns as the documentation lists them. */
export const documentedColumns = (toml: string, columns: Columns): Field<unknown>[] =>
  Object.entries(columns).map(([key, field]) => ({
    ...field,
    env: [`${prefixOf(toml)}<n>_${suffix(key)}`],
    toml: `${toml}[].${key}`,
  }))

const prefixOf = (toml: string): string => `PARLEY_${suffix(toml)}_`
const suffix = (key: string): string => key.replaceAll('.', '_').toUpperCase()

const fieldOfRow = (field: Field<unknown>, toml: string, n: number, key: string): Field<unknown> => ({
  ...field,
  env: [`${prefixOf(toml)}${n}_${suffix(key)}`],
  toml: `${toml}.${n}.${key}`,
})

function rowNumbers(countInFile: number, inEnv: ReadonlySet<number>, prefix: string, problems: string[]): number[] {
  const beyond = [...inEnv].filter((n) => n >= countInFile).sort((a, b) => a - b)
  const gap = beyond.find((n, i) => n !== countInFile + i)
  if (gap !== undefined)
    problems.push(`${prefix}${gap}_...: there is a gap in the numbers before ${gap}; they start at 0`)
  return [...Array(countInFile).keys(), ...beyond]
}

function numbersOfEnv(prefix: string, columns: Columns, env: NodeJS.ProcessEnv) {
  const known = new Set(Object.keys(columns).map(suffix))
  const numbers = new Set<number>()
  const problems: string[] = []
  for (const name of Object.keys(env).filter((candidate) => candidate.startsWith(prefix) && env[candidate])) {
    const [, n, key] = /^(0|[1-9]\d{0,5})_(.*)$/.exec(name.slice(prefix.length)) ?? []
    if (n === undefined || !known.has(key ?? '')) problems.push(`${name}: is not a setting; is it misspelt?`)
    else numbers.add(Number(n))
  }
  return { numbers, problems: problems.sort() }
}

function tablesOfFile(toml: string, columns: Columns, { file }: LoadedSources): { count: number; problems: string[] } {
  const tables = file?.get(toml)
  if (!file || tables === undefined) return { count: 0, problems: [] }
  if (!Array.isArray(tables) || !tables.every(isTable)) {
    return { count: 0, problems: [`${toml} in ${file.path}: must be an array of tables, [[${toml}]]`] }
  }
  const problems = tables.flatMap((table, n) =>
    keysOf(table)
      .filter((key) => !Object.hasOwn(columns, key))
      .map((key) => `${toml}.${n}.${key} in ${file.path}: is not a setting; is it misspelt?`),
  )
  return { count: tables.length, problems }
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function keysOf(table: Record<string, unknown>): string[] {
  return Object.entries(table).flatMap(([key, value]) =>
    isTable(value) ? keysOf(value).map((inner) => `${key}.${inner}`) : [key],
  )
}
