import { Mistake, type Field, type Given } from './field.ts'

/** The value of one field: the environment wins over the file, the file over the default. */
export function readField<T>(field: Field<T>, given: Given): T {
  if (field.read) return field.read(given)
  const { env, file } = given
  for (const name of field.env) {
    if (env[name]) return parsed(field, env[name], name)
  }
  const fromFile = field.toml && file?.get(field.toml)
  if (file && fromFile !== undefined) return parsed(field, fromFile, `${field.toml} in ${file.path}`)
  if (field.default !== undefined) return field.parse(field.default)
  // Only the overload for optional fields creates such a field, and its T includes undefined.
  if (field.optional) return undefined as T
  throw new Mistake(`${field.env[0]}: is missing (${field.doc})`)
}

function parsed<T>(field: Field<T>, raw: unknown, source: string): T {
  try {
    return field.parse(raw)
  } catch (error) {
    if (!(error instanceof Mistake)) throw error
    const shown = field.secret ? 'the given value' : JSON.stringify(withoutPassword(raw))
    throw new Mistake(`${source}: ${shown} ${error.message}`)
  }
}

/** The value with the passwords inside URLs hidden. */
export function withoutPassword(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPassword)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, part]: [string, unknown]) => [key, withoutPassword(part)]),
    )
  }
  return typeof value === 'string' ? value.replaceAll(/\/\/[^@/\s]*@/g, '//***@') : value
}
