import { defineConfig, type Field, type Fields, type ReadConfig, type Sources } from '@parley/config'

/** Shorter values would be found in ordinary words. */
const shortest = 4
/** Rows of a repeated table in which secrets are looked for. */
const mostRows = 50

/**
 * The values of all secret settings and the passwords in their URLs, none of which may appear in a text. The longest
 * come first, because one may contain another.
 */
export function secretsIn(readConfig: ReadConfig<Fields>, sources: Sources): string[] {
  const fields = Object.values(readConfig.fields).flatMap((field) => [field, ...(field.parts ?? [])])
  const values = fields
    .filter(({ secret }) => secret)
    .flatMap((field) => (field.toml?.includes('[]') ? rowsOf(field) : [field]))
    .flatMap((field) => valueOf(field, sources) ?? [])
  return values
    .flatMap((value) => [value, onOneLine(value), ...passwordIn(value)])
    .filter((value) => value.length >= shortest)
    .sort((one, other) => other.length - one.length)
}

/** With single spaces, as a value stands in the reason of a failure (`reasonOf`). */
const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** A column of a repeated table, as one field for each row. */
const rowsOf = (column: Field<unknown>): Field<unknown>[] =>
  Array.from({ length: mostRows }, (_, n) => ({
    ...column,
    env: column.env.map((name) => name.replace('<n>', String(n))),
    toml: column.toml?.replace('[]', `.${n}`),
  }))

function valueOf(field: Field<unknown>, { env = process.env, file }: Sources): string | undefined {
  const given = field.env.map((name) => env[name]).find((value) => value)
  if (given !== undefined) return given
  try {
    const { value } = defineConfig({ value: field })({ env, ...(file === undefined ? {} : { file }) })
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

function passwordIn(value: string): string[] {
  const password = URL.parse(value)?.password ?? ''
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}
