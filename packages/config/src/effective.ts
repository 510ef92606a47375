import type { Fields, ReadConfig, Sources } from './define.ts'
import { Mistake, Mistakes, type Field, type Given } from './field.ts'
import { readConfigFile } from './file.ts'
import { readField, withoutPassword } from './read-field.ts'

/** A setting with its effective value. */
export type EffectiveSetting = {
  /** Its name in the program. Settings that are read as one share a name. */
  name: string
  /** The environment variable that was read, or the one with the highest precedence; empty if none has a fixed name. */
  env: string
  /** Key in parley.toml, or empty. */
  toml: string
  /** The value; a secret is replaced by asterisks. */
  value: unknown
  /** `environment`, the path of the file, `default`, `not set` if it is optional, or `missing`. */
  source: string
  /** Why its value is invalid; the process would not start. */
  mistake?: string
}

/**
 * Reads a declaration and reports where each value comes from. Does not throw: errors are part of the result, and an
 * unreadable file is reported first, as a separate setting.
 */
export function effectiveSettings(
  readConfig: ReadConfig<Fields>,
  { env = process.env, file: named }: Sources = {},
): EffectiveSetting[] {
  const fromEnvironment = env['PARLEY_CONFIG_FILE'] || undefined
  const { file, mistake } = readConfigFile(named ?? fromEnvironment)
  const settings = Object.entries(readConfig.fields).flatMap(([name, field]) => settingsOf(name, field, { env, file }))
  if (mistake === undefined) return settings
  const source = named === undefined && fromEnvironment ? 'environment' : 'default'
  return [{ name: 'configFile', env: 'PARLEY_CONFIG_FILE', toml: '', value: null, source, mistake }, ...settings]
}

/** Settings that form one value are reported separately; a table is reported as one, because its length varies. */
function settingsOf(name: string, field: Field<unknown>, given: Given): EffectiveSetting[] {
  const parts = field.parts?.every(({ toml }) => !toml?.includes('[]')) ? field.parts : []
  if (parts.length === 0) return [setting(name, field, given)]
  const rows = parts.map((part) => setting(name, part, given))
  const together = mistakesTogether(field, given)
  const described = rows.map((row, n) => {
    const own = together.filter((text) => isAbout(parts[n], text))
    if (row.mistake !== undefined || own.length === 0) return row
    return { ...row, source: row.source === 'not set' ? 'missing' : row.source, mistake: own.join('; ') }
  })
  const others = together.filter((text) => !parts.some((part) => isAbout(part, text)))
  if (others.length === 0) return described
  const about = { name, env: '', toml: field.toml ?? '' }
  return [...described, { ...about, value: null, source: 'default', mistake: others.join('; ') }]
}

function mistakesTogether(field: Field<unknown>, given: Given): readonly string[] {
  try {
    readField(field, given)
    return []
  } catch (error) {
    return textsOf(error)
  }
}

const isAbout = (field: Field<unknown> | undefined, text: string): boolean =>
  field?.env.some((name) => text.startsWith(`${name}:`) || text.startsWith(`${name} (`)) ?? false

function setting(name: string, field: Field<unknown>, given: Given): EffectiveSetting {
  const { env, file } = given
  const variable = field.env.find((one) => env[one])
  const fromFile = field.toml !== undefined && file?.get(field.toml) !== undefined
  const source = variable ? 'environment' : fromFile ? (file?.path ?? '') : undefined
  const about = { name, env: variable ?? field.env[0] ?? '', toml: field.toml ?? '' }
  try {
    const value = readField(field, given)
    if (value === undefined) return { ...about, value: null, source: source ?? 'not set' }
    return { ...about, value: shown(field, value), source: source ?? 'default' }
  } catch (error) {
    return { ...about, value: null, source: source ?? 'missing', mistake: textsOf(error).join('; ') }
  }
}

/** The messages of invalid settings; any other error is thrown again. */
function textsOf(error: unknown): readonly string[] {
  if (error instanceof Mistakes) return error.all
  if (error instanceof Mistake) return [error.message]
  throw error
}

function shown(field: Field<unknown>, value: unknown): unknown {
  if (field.secret) return '***'
  return withoutPassword(field.shown ? field.shown(value) : value)
}
