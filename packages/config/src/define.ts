import { ConfigError } from './error.ts'
import { Mistake, type Field } from './field.ts'
import { readConfigFile, type ConfigFile } from './file.ts'

/** A declaration: the name in the program and the field. */
export type Fields = Readonly<Record<string, Field<unknown>>>

/** The values that a declaration yields. */
export type ConfigOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never }

/** Where settings come from. */
export type Sources = {
  /** The environment, by default the process's own. An empty variable counts as not set. */
  env?: NodeJS.ProcessEnv
  /** Path of the file, by default PARLEY_CONFIG_FILE, else `parley.toml` in the working folder if there is one. */
  file?: string
}

/** Reads a configuration; throws a {@link ConfigError} that lists every mistake. */
export type ReadConfig<F extends Fields> = ((sources?: Sources) => ConfigOf<F>) & { readonly fields: F }

const declarations = new WeakMap<object, Fields>()

/** Declares the settings of a process: types, parser, defaults and documentation in one. The environment wins. */
export function defineConfig<F extends Fields>(fields: F): ReadConfig<F> {
  const read = ({ env = process.env, file: named }: Sources = {}): ConfigOf<F> => {
    const { file, mistake } = readConfigFile(named ?? (env['PARLEY_CONFIG_FILE'] || undefined))
    const mistakes = mistake === undefined ? [] : [mistake]
    const values: Record<string, unknown> = {}
    for (const [name, field] of Object.entries(fields)) {
      try {
        values[name] = valueOf(field, env, file)
      } catch (error) {
        if (!(error instanceof Mistake)) throw error
        mistakes.push(error.message)
      }
    }
    if (mistakes.length > 0) throw new ConfigError(mistakes)
    declarations.set(values, fields)
    return values as ConfigOf<F>
  }
  return Object.assign(read, { fields })
}

function valueOf(field: Field<unknown>, env: NodeJS.ProcessEnv, file: ConfigFile | undefined): unknown {
  for (const name of field.env) {
    if (env[name]) return parsed(field, env[name], name)
  }
  const fromFile = field.toml && file?.get(field.toml)
  if (file && fromFile !== undefined) return parsed(field, fromFile, `${field.toml} in ${file.path}`)
  if (field.default !== undefined) return field.parse(field.default)
  if (field.optional) return undefined
  throw new Mistake(`${field.env[0]}: is missing (${field.doc})`)
}

function parsed(field: Field<unknown>, raw: unknown, source: string): unknown {
  try {
    return field.parse(raw)
  } catch (error) {
    if (!(error instanceof Mistake)) throw error
    const shown = field.secret ? 'the given value' : JSON.stringify(withoutPassword(raw))
    throw new Mistake(`${source}: ${shown} ${error.message}`)
  }
}

/** The configuration for people to read: secrets, and passwords inside URLs, are hidden. */
export function redacted(config: object): Record<string, unknown> {
  const fields = declarations.get(config)
  if (!fields) throw new TypeError('not a configuration that was read by a declared reader')
  return Object.fromEntries(
    Object.entries(config).map(([name, value]: [string, unknown]) => [
      name,
      fields[name]?.secret && value !== undefined ? '***' : withoutPassword(value),
    ]),
  )
}

function withoutPassword(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPassword)
  return typeof value === 'string' ? value.replaceAll(/\/\/[^@/\s]*@/g, '//***@') : value
}
