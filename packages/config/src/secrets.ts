import { defineConfig, type Fields, type Sources } from './define.ts'
import type { Field } from './field.ts'

/** Shorter values are left out, because ordinary words contain them. */
const minLength = 4
const maxRows = 50

/**
 * Collects what must not appear in any text: the values of secret settings, the credentials for telemetry collectors in
 * the environment, and the passwords in those values that are URLs. The longest come first, because one may contain
 * another. Without `collectors`, the credentials for collectors are left out: a header may be an ordinary word, such as
 * the name of a tenant, which unrelated texts contain too.
 */
export function secretsIn(fields: Fields, sources: Sources, { collectors = true } = {}): string[] {
  const declared = Object.values(fields)
    .flatMap((field) => [field, ...(field.parts ?? [])])
    .filter(({ secret }) => secret)
    .flatMap((field) => (field.toml?.includes('[]') ? rowsOf(field) : [field]))
    .flatMap((field) => valueOf(field, sources) ?? [])
  const forCollectors = collectors ? collectorSecrets(sources.env ?? process.env) : []
  return [...declared.flatMap((value) => [value, ...passwordIn(value)]), ...forCollectors]
    .flatMap((value) => [value, collapseSpaces(value)])
    .filter((value) => value.length >= minLength)
    .toSorted((one, other) => other.length - one.length)
}

/** The text with `***` for each of the secrets that {@link secretsIn} found. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)

/** As `reasonOf` of `@parley/doctor` does in the messages of errors. */
const collapseSpaces = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const rowsOf = (column: Field<unknown>): Field<unknown>[] =>
  Array.from({ length: maxRows }, (_, n) => ({
    ...column,
    env: column.env.map((name) => name.replace('<n>', String(n))),
    toml: column.toml?.replace('[]', `.${n}`),
  }))

function valueOf(field: Field<unknown>, { env = process.env, file }: Sources): string | undefined {
  const fromEnvironment = field.env.map((name) => env[name]).find((value) => value)
  if (fromEnvironment !== undefined) return fromEnvironment
  try {
    const { value } = defineConfig({ value: field })({ env, ...(file === undefined ? {} : { file }) })
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

const passwordIn = (value: string): string[] => withDecoded(URL.parse(value)?.password ?? '')

/** The user and password in collector URLs, even in malformed ones, and the values of collector headers. */
const collectorSecrets = (env: NodeJS.ProcessEnv): string[] =>
  Object.entries(env).flatMap(([name, value = '']) => {
    if (/^OTEL_EXPORTER_OTLP_(\w+_)?ENDPOINT$/.test(name))
      return [/^(?:\w+:?\/\/)?(.*)@/.exec(value.trim())?.[1] ?? '', ...passwordIn(value.trim())]
    if (!/^OTEL_EXPORTER_OTLP_(\w+_)?HEADERS$/.test(name)) return []
    return value.split(',').flatMap((header) => withDecoded(header.slice(header.indexOf('=') + 1).trim()))
  })

function withDecoded(value: string): string[] {
  try {
    return [value, decodeURIComponent(value)]
  } catch {
    return [value]
  }
}
