import { randomBytes } from 'node:crypto'
import { readJson, writeAtomically } from './files.ts'

/** Secrets of one fleet, generated at first use and stored in a file that only its owner can read. */
export class Secrets {
  readonly #file: string
  readonly #values: Map<string, string>

  constructor(file: string) {
    this.#file = file
    this.#values = new Map(
      Object.entries(readJson(file) ?? {}).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as const] : [],
      ),
    )
  }

  /**
   * The secret of that name, generated at first use. The default `makeOne` returns text that starts with a letter and
   * needs no quoting.
   */
  get(name: string, makeOne = make): string {
    const known = this.#values.get(name)
    if (known !== undefined) return known
    const made = makeOne()
    this.set(name, made)
    return made
  }

  /** The secret of that name if there is one. */
  peek(name: string): string | undefined {
    return this.#values.get(name)
  }

  /** Stores a given secret. */
  set(name: string, value: string): void {
    this.#values.set(name, value)
    this.#save()
  }

  /** Generates a new secret of that name and stores the previous value as `keptAs`; writes both or neither. */
  renew(name: string, keptAs: string): void {
    this.#values.set(keptAs, this.#values.get(name) ?? make())
    this.#values.set(name, make())
    this.#save()
  }

  /** Deletes a secret. */
  delete(name: string): void {
    if (this.#values.delete(name)) this.#save()
  }

  #save() {
    writeAtomically(this.#file, JSON.stringify(Object.fromEntries(this.#values), undefined, 2) + '\n', 0o600)
  }
}

const make = (): string => `p${randomBytes(24).toString('hex')}`
