import type { Fields, ReadConfig, Sources } from './define.ts'
import { Mistake, Mistakes, type Field, type Given } from './field.ts'
import { readConfigFile } from './file.ts'
import { readField, withoutPassword } from './read-field.ts'

/** A setting as it is in effect. */
export type EffectiveSetting = {
  /** Its name in the program. */
  name: string
  /** The environment variable that was read, or the strongest that could be. */
  env: string
  /** Key in parley.toml, or empty. */
  toml: string
  /** The value; of a secret only that there is one. */
  value: unknown
  /** `environment`, the path of the file, `default`, or `missing`. */
  source: string
  /** What is wrong with it; the process would not start. */
  mistake?: string
}

/**
 * What a declaration reads, and from where. Nothing is thrown: mistakes are part of the answer, a file that cannot be read
 * as a setting of its own before all others.
 */
export function effectiveSettings(
  readConfig: ReadConfig<Fields>,
  { env = process.env, file: named }: Sources = {},
): EffectiveSetting[] {
  const fromEnvironment = env['PARLEY_CONFIG_FILE'] || undefined
  const { file, mistake } = readConfigFile(named ?? fromEnvironment)
  const settings = Object.entries(readConfig.fields).map(([name, field]) => setting(name, field, { env, file }))
  if (mistake === undefined) return settings
  const source = named === undefined && fromEnvironment ? 'environment' : 'default'
  return [{ name: 'configFile', env: 'PARLEY_CONFIG_FILE', toml: '', value: null, source, mistake }, ...settings]
}

function setting(name: string, field: Field<unknown>, given: Given): EffectiveSetting {
  const { env, file } = given
  const variable = field.env.find((one) => env[one])
  const fromFile = field.toml !== undefined && file?.get(field.toml) !== undefined
  const source = variable ? 'environment' : fromFile ? (file?.path ?? '') : 'default'
  const about = { name, env: variable ?? field.env[0] ?? '', toml: field.toml ?? '' }
  try {
    const value = readField(field, given)
    const isThere = value !== undefined
    const none = source === 'default' && !isThere
    return { ...about, value: isThere ? shown(field, value) : null, source: none ? 'missing' : source }
  } catch (error) {
    if (!(error instanceof Mistake || error instanceof Mistakes)) throw error
    return { ...about, value: null, source: source === 'default' ? 'missing' : source, mistake: error.message }
  }
}

function shown(field: Field<unknown>, value: unknown): unknown {
  if (field.secret) return '***'
  return withoutPassword(field.shown ? field.shown(value) : value)
}
