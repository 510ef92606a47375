import { SettingError, type Field, type LoadedSources } from './field.ts'

/** The environment takes precedence over the file, and the file over the default. */
export function readField<T>(field: Field<T>, sources: LoadedSources): T {
  if (field.read) return field.read(sources)
  const { env, file } = sources
  for (const name of field.env) {
    if (env[name]) return parseFrom(field, env[name], name)
  }
  const fromFile = field.toml && file?.get(field.toml)
  if (file && fromFile !== undefined) return parseFrom(field, fromFile, `${field.toml} in ${file.path}`)
  if (field.default !== undefined) return field.parse(field.default)
  // The T of an optional field includes undefined.
  if (field.optional) return undefined as T
  throw new SettingError(`${field.env[0]}: is missing (${field.doc})`)
}

function parseFrom<T>(field: Field<T>, raw: unknown, source: string): T {
  try {
    return field.parse(raw)
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    const shown = field.secret ? 'the given value' : JSON.stringify(withoutCredentials(raw))
    throw new SettingError(`${source}: ${shown} ${error.message}`)
  }
}

/**
 * From the `//` of a URL, or of each URL of a list, to its last `@`. A password in a wrong value may contain characters
 * that a valid URL would encode, such as `/`, `@` and spaces. So more than the credentials may be hidden.
 */
const credentials = /\/\/(?:(?!,\w+:\/\/)[^])*@/g

export function withoutCredentials(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCredentials)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, part]: [string, unknown]) => [key, withoutCredentials(part)]),
    )
  }
  return typeof value === 'string' ? value.replaceAll(credentials, '//***@') : value
}
