import type { Fields, ReadConfig, Sources } from './define.ts'
import { problemsOf, type Field, type LoadedSources } from './field.ts'
import { readConfigFile } from './file.ts'
import { readField, withoutCredentials } from './read-field.ts'

export type EffectiveSetting = {
  /** Settings that are read as one value share a name. */
  name: string
  /**
   * The variable that sets it; if none does, the variable with the highest precedence. Empty for a table or a group of
   * settings.
   */
  env: string
  /** Key in parley.toml; empty if there is none. */
  toml: string
  /** Asterisks for a secret. */
  value: unknown
  /** `environment`, the path of the file, `default`, `not set` if it is optional, or `missing`. */
  source: string
  /** Why the process does not start with this value. */
  mistake?: string
}

/**
 * Reads a declaration and reports where each value comes from. Errors are part of the result; an unreadable file comes
 * first, as a separate setting.
 */
export function effectiveSettings(
  readConfig: ReadConfig<Fields>,
  { env = process.env, file: namedPath }: Sources = {},
): EffectiveSetting[] {
  const fromEnvironment = env['PARLEY_CONFIG_FILE'] || undefined
  const { file, problem } = readConfigFile(namedPath ?? fromEnvironment)
  const settings = Object.entries(readConfig.fields).flatMap(([name, field]) => settingsOf(name, field, { env, file }))
  if (problem === undefined) return settings
  const source = namedPath === undefined && fromEnvironment ? 'environment' : 'default'
  return [
    { name: 'configFile', env: 'PARLEY_CONFIG_FILE', toml: '', value: null, source, mistake: problem },
    ...settings,
  ]
}

/** Settings that form one value are reported separately; a table is reported as one, because its length varies. */
function settingsOf(name: string, field: Field<unknown>, sources: LoadedSources): EffectiveSetting[] {
  const parts = field.parts?.every(({ toml }) => !toml?.includes('[]')) ? field.parts : []
  if (parts.length === 0) return [setting(name, field, sources)]
  const rows = parts.map((part) => setting(name, part, sources))
  const combined = combinedProblems(field, sources)
  const described = rows.map((row, n) => {
    const own = combined.filter((text) => isAbout(parts[n], text))
    if (row.mistake !== undefined || own.length === 0) return row
    return { ...row, source: row.source === 'not set' ? 'missing' : row.source, mistake: own.join('; ') }
  })
  const others = combined.filter((text) => !parts.some((part) => isAbout(part, text)))
  if (others.length === 0) return described
  const about = { name, env: '', toml: field.toml ?? '' }
  return [...described, { ...about, value: null, source: 'default', mistake: others.join('; ') }]
}

function combinedProblems(field: Field<unknown>, sources: LoadedSources): readonly string[] {
  try {
    readField(field, sources)
    return []
  } catch (error) {
    return problemsOf(error)
  }
}

const isAbout = (field: Field<unknown> | undefined, text: string): boolean =>
  field?.env.some((name) => text.startsWith(`${name}:`) || text.startsWith(`${name} (`)) ?? false

function setting(name: string, field: Field<unknown>, sources: LoadedSources): EffectiveSetting {
  const { env, file } = sources
  const variable = field.env.find((one) => env[one])
  const fromFile = field.toml !== undefined && file?.get(field.toml) !== undefined
  const source = variable ? 'environment' : fromFile ? (file?.path ?? '') : undefined
  const about = { name, env: variable ?? field.env[0] ?? '', toml: field.toml ?? '' }
  try {
    const value = readField(field, sources)
    if (value === undefined) return { ...about, value: null, source: source ?? 'not set' }
    return { ...about, value: shown(field, value), source: source ?? 'default' }
  } catch (error) {
    return { ...about, value: null, source: source ?? 'missing', mistake: problemsOf(error).join('; ') }
  }
}

function shown(field: Field<unknown>, value: unknown): unknown {
  if (field.secret) return '***'
  return withoutCredentials(field.shown ? field.shown(value) : value)
}
