import { Mistake, Mistakes, type Field, type Given } from './field.ts'
import { readField } from './read-field.ts'

/** A field that is read from several settings and reports the mistakes of all of them together. */
export function combinedField<T>(
  about: Pick<Field<unknown>, 'env' | 'toml' | 'doc'>,
  parts: readonly Field<unknown>[],
  read: (reader: FieldReader) => T,
): Field<T> {
  const readAll = (given: Given): T => {
    const reader = new FieldReader(given)
    const value = read(reader)
    if (reader.mistakes.length > 0) throw new Mistakes(reader.mistakes)
    return value
  }
  return {
    ...{ kind: 'settings', env: about.env, toml: about.toml, doc: about.doc },
    ...{ default: undefined, optional: true, secret: false, parts, read: readAll },
    parse: () => readAll({ env: {}, file: undefined }),
  }
}

/** Reads settings one after the other and collects their mistakes. */
export class FieldReader {
  readonly mistakes: string[] = []
  readonly #given: Given

  constructor(given: Given) {
    this.#given = given
  }

  /** The value; undefined if the setting is missing or invalid. */
  read<T>(field: Field<T>): T | undefined {
    try {
      return readField(field, this.#given)
    } catch (error) {
      if (!(error instanceof Mistake)) throw error
      this.mistakes.push(error.message)
      return undefined
    }
  }

  /** The same, with `ifMissing` as the mistake of a missing setting. */
  required<T>(field: Field<T | undefined>, ifMissing: string): T | undefined {
    const before = this.mistakes.length
    const value = this.read(field)
    if (value === undefined && this.mistakes.length === before) this.mistakes.push(ifMissing)
    return value
  }
}
