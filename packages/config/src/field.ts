import type { ConfigFile } from './file.ts'

/**
 * Thrown by a parser: says what is wrong, without the value. `readField` adds the setting, and the value unless it is
 * secret.
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

/** The messages of invalid settings; any other error is thrown again. */
export function problemsOf(error: unknown): readonly string[] {
  if (error instanceof SettingErrors) return error.all
  if (error instanceof SettingError) return [error.message]
  throw error
}

export type LoadedSources = { readonly env: NodeJS.ProcessEnv; readonly file: ConfigFile | undefined }

export type FieldOptions<T> = {
  /** One sentence for the documentation. */
  doc: string
  /** The default, which may be written as in the file. A field with neither a default nor `optional` is required. */
  default?: T | string
  /** The value of an absent field is undefined. */
  optional?: true
  /** Key in parley.toml, such as `webserver.port`. */
  toml?: string
  /** Minimum of a number, of the characters of a text, or of the elements of a list. */
  min?: number
  /** Maximum of a number, of the characters of a text, or of the elements of a list. */
  max?: number
  /** For a text, or for each element of a list. */
  pattern?: RegExp
}

/** One setting, or a value that is made of several. */
export type Field<T> = {
  readonly kind: string
  /** Variables in order of precedence. */
  readonly env: readonly string[]
  readonly toml: string | undefined
  readonly doc: string
  readonly default: unknown
  readonly optional: boolean
  readonly secret: boolean
  readonly parse: (raw: unknown) => T
  /** For a field of several settings. Throws {@link SettingError} or {@link SettingErrors}. */
  readonly read?: (sources: LoadedSources) => T
  /** For display, for example without secrets. Default: unchanged. Not called for a secret. */
  readonly shown?: (value: unknown) => unknown
  readonly parts?: readonly Field<unknown>[]
}

/** Declares fields of one kind; `env` names the environment variables. */
export type FieldKind<T> = {
  (env: string | string[], options: FieldOptions<T> & { optional: true }): Field<T | undefined>
  (env: string | string[], options: FieldOptions<T>): Field<T>
}

export type Limits = Pick<FieldOptions<unknown>, 'min' | 'max' | 'pattern'>

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

/** Every key of the file also has a variable: webserver.port is PARLEY_WEBSERVER_PORT. */
function environmentNames(env: string | string[], { toml }: FieldOptions<unknown>): string[] {
  const names = typeof env === 'string' ? [env] : env
  const derivedName = toml && `PARLEY_${toml.replaceAll('.', '_').toUpperCase()}`
  return derivedName ? [derivedName, ...names.filter((name) => name !== derivedName)] : names
}
