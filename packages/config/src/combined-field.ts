import { SettingError, SettingErrors, type Field, type LoadedSources } from './field.ts'
import { readField } from './read-field.ts'

/** A field that is read from several settings and reports all their problems together. */
export function combinedField<T>(
  about: Pick<Field<unknown>, 'env' | 'toml' | 'doc'>,
  parts: readonly Field<unknown>[],
  read: (reader: FieldReader) => T,
): Field<T> {
  const readAll = (sources: LoadedSources): T => {
    const reader = new FieldReader(sources)
    const value = read(reader)
    if (reader.problems.length > 0) throw new SettingErrors(reader.problems)
    return value
  }
  return {
    ...{ kind: 'settings', env: about.env, toml: about.toml, doc: about.doc },
    ...{ default: undefined, optional: true, secret: false, parts, read: readAll },
    parse: () => readAll({ env: {}, file: undefined }),
  }
}

export class FieldReader {
  readonly problems: string[] = []
  readonly #sources: LoadedSources

  constructor(sources: LoadedSources) {
    this.#sources = sources
  }

  /**
   * The value or its default; undefined for an absent optional setting. If the setting is invalid, records the problem
   * and returns undefined.
   */
  read<T>(field: Field<T>): T | undefined {
    try {
      return readField(field, this.#sources)
    } catch (error) {
      if (!(error instanceof SettingError)) throw error
      this.problems.push(error.message)
      return undefined
    }
  }

  /** Like `read`, but if the setting is missing, records `ifMissing` as a problem. */
  required<T>(field: Field<T | undefined>, ifMissing: string): T | undefined {
    const before = this.problems.length
    const value = this.read(field)
    if (value === undefined && this.problems.length === before) this.problems.push(ifMissing)
    return value
  }
}
