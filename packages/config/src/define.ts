import { ConfigError } from './error.ts'
import { problemsOf, type Field } from './field.ts'
import { readConfigFile } from './file.ts'
import { readField, withoutCredentials } from './read-field.ts'

export type Fields = Readonly<Record<string, Field<unknown>>>

export type ConfigOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never }

export type Sources = {
  /** Default: the environment of the process. An empty variable counts as not set. */
  env?: NodeJS.ProcessEnv
  /** Default: PARLEY_CONFIG_FILE, otherwise `parley.toml` in the working directory if there is one. */
  file?: string
}

/** Reads a configuration; throws a {@link ConfigError} that lists all problems. */
export type ReadConfig<F extends Fields> = ((sources?: Sources) => ConfigOf<F>) & { readonly fields: F }

const declarations = new WeakMap<object, Fields>()

/**
 * Declares the settings of a process: types, parsers, defaults and documentation in one place. The environment
 * takes precedence over the file.
 */
export function defineConfig<F extends Fields>(fields: F): ReadConfig<F> {
  const read = ({ env = process.env, file: namedPath }: Sources = {}): ConfigOf<F> => {
    const { file, problem } = readConfigFile(namedPath ?? (env['PARLEY_CONFIG_FILE'] || undefined))
    const problems = problem === undefined ? [] : [problem]
    const values: Record<string, unknown> = {}
    for (const [name, field] of Object.entries(fields)) {
      try {
        values[name] = readField(field, { env, file })
      } catch (error) {
        problems.push(...problemsOf(error))
      }
    }
    if (problems.length > 0) throw new ConfigError([...new Set(problems)])
    declarations.set(values, fields)
    return values as ConfigOf<F>
  }
  return Object.assign(read, { fields })
}

/** A configuration as it may be shown: secrets, and credentials inside URLs, are hidden. */
export function redact(config: object): Record<string, unknown> {
  const fields = declarations.get(config)
  if (!fields) throw new TypeError('this configuration was not read by a function that defineConfig returned')
  return Object.fromEntries(
    Object.entries(config).map(([name, value]: [string, unknown]) => [
      name,
      value === undefined ? value : shown(fields[name], value),
    ]),
  )
}

function shown(field: Field<unknown> | undefined, value: unknown): unknown {
  if (field?.secret) return '***'
  return withoutCredentials(field?.shown ? field.shown(value) : value)
}
