import { defineConfig, type Fields, type Sources } from './define.ts'
import type { Field } from './field.ts'

/** Shorter values would be found in ordinary words. */
const shortest = 4
/** Rows of a repeated table in which secrets are looked for. */
const mostRows = 50

/**
 * The secrets in the settings that are given: the values of secret fields, what OpenTelemetry takes from the environment
 * to sign in to a collector, and the passwords in URLs among them. None of them may appear in a text. The longest come
 * first, because one may contain another. Without `collectors`, none of what OpenTelemetry takes: the value of a header
 * may be an ordinary word, such as the name of a tenant, which texts about something else contain, too.
 */
export function secretsIn(fields: Fields, sources: Sources, { collectors = true } = {}): string[] {
  const declared = Object.values(fields)
    .flatMap((field) => [field, ...(field.parts ?? [])])
    .filter(({ secret }) => secret)
    .flatMap((field) => (field.toml?.includes('[]') ? rowsOf(field) : [field]))
    .flatMap((field) => valueOf(field, sources) ?? [])
  const ofOthers = collectors ? ofCollectors(sources.env ?? process.env) : []
  return [...declared.flatMap((value) => [value, ...passwordIn(value)]), ...ofOthers]
    .flatMap((value) => [value, onOneLine(value)])
    .filter((value) => value.length >= shortest)
    .toSorted((one, other) => other.length - one.length)
}

/** The text with `***` for each of the secrets that {@link secretsIn} found. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)

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

const passwordIn = (value: string): string[] => asSent(URL.parse(value)?.password ?? '')

/** User and password in the addresses of collectors, which may be mistyped, and the values of headers. */
const ofCollectors = (env: NodeJS.ProcessEnv): string[] =>
  Object.entries(env).flatMap(([name, value = '']) => {
    if (/^OTEL_EXPORTER_OTLP_(\w+_)?ENDPOINT$/.test(name))
      return [/^(?:\w+:?\/\/)?(.*)@/.exec(value.trim())?.[1] ?? '', ...passwordIn(value.trim())]
    if (!/^OTEL_EXPORTER_OTLP_(\w+_)?HEADERS$/.test(name)) return []
    return value.split(',').flatMap((header) => asSent(header.slice(header.indexOf('=') + 1).trim()))
  })

/** A value as it is written and, since it may be percent-encoded, as it is sent. */
function asSent(value: string): string[] {
  try {
    return [value, decodeURIComponent(value)]
  } catch {
    return [value]
  }
}
