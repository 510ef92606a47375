import type { ConfigFile } from './file.ts'

/**
 * Thrown by a parser with a message that says what is wrong and does not repeat the value. `readField` throws it with a
 * complete message: the setting, the value unless it is secret, and what is wrong.
 */
export class SettingError extends Error {}

/** Thrown by a field that consists of several settings. Each message names its setting. */
export class SettingErrors extends Error {
  readonly all: readonly string[]

  constructor(all: readonly string[]) {
    super(all.join('; '))
    this.all = all
  }
}

/** The environment and the parsed file, in which settings are looked up. */
export type LoadedSources = { readonly env: NodeJS.ProcessEnv; readonly file: ConfigFile | undefined }

/** Options of every kind of field. */
export type FieldOptions<T> = {
  /** One sentence for the tables of the documentation. */
  doc: string
  /** The default, as it would be written in the file. A field with neither a default nor `optional` is required. */
  default?: T | string
  /** Whether the field may be absent; its value is then undefined. */
  optional?: true
  /** Its key in parley.toml, such as `webserver.port`. */
  toml?: string
  /** Smallest number, or shortest text, or fewest elements. */
  min?: number
  /** Largest number, or longest text, or most elements. */
  max?: number
  /** Pattern for the text, or for each element of a list. */
  pattern?: RegExp
}

/** One declared setting. Created by `str`, `int` and the other kinds. */
export type Field<T> = {
  readonly kind: string
  /** Environment variables that set it, in order of precedence. */
  readonly env: readonly string[]
  readonly toml: string | undefined
  readonly doc: string
  readonly default: unknown
  readonly optional: boolean
  readonly secret: boolean
  readonly parse: (raw: unknown) => T
  /** Reads a field that consists of several settings. Throws {@link SettingError} or {@link SettingErrors}. */
  readonly read?: (sources: LoadedSources) => T
  /** Converts a value for display, for example without secrets in it. Default: unchanged. Not called for a secret. */
  readonly shown?: (value: unknown) => unknown
  /** The settings it consists of. */
  readonly parts?: readonly Field<unknown>[]
}

/** A function that declares fields of one kind; the first argument names the environment variables. */
export type FieldKind<T> = {
  (env: string | string[], options: FieldOptions<T> & { optional: true }): Field<T | undefined>
  (env: string | string[], options: FieldOptions<T>): Field<T>
}

/** Further checks of a parser. */
export type Limits = Pick<FieldOptions<unknown>, 'min' | 'max' | 'pattern'>

/** Creates a kind of field from its parser. */
export function fieldKind<T>(
  kind: string,
  parse: (raw: unknown, limits: Limits) => T,
  { secret = false, ...display }: Partial<Pick<Field<T>, 'secret' | 'shown'>> = {},
): FieldKind<T> {
  return (env: string | string[], options: FieldOptions<T>): Field<T> => ({
    kind,
    env: environmentNames(env, options),
    toml: options.toml,
    doc: options.doc,
    default: options.default,
    optional: options.optional ?? false,
    secret,
    ...display,
    parse: (raw) => parse(raw, options),
  })
}

/**
 * Every key of the file also has a variable: webserver.port is PARLEY_WEBSERVER_PORT. The environment takes precedence.
 */
function environmentNames(env: string | string[], { toml }: FieldOptions<unknown>): string[] {
  const names = typeof env === 'string' ? [env] : env
  const derivedName = toml && `PARLEY_${toml.replaceAll('.', '_').toUpperCase()}`
  return derivedName ? [derivedName, ...names.filter((name) => name !== derivedName)] : names
}
