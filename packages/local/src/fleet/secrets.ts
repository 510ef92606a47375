import { randomBytes } from 'node:crypto'
import { readJson, writeAtomically } from './files.ts'

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

  get(name: string, generate = generateSecret): string {
    const known = this.#values.get(name)
    if (known !== undefined) return known
    const made = generate()
    this.set(name, made)
    return made
  }

  peek(name: string): string | undefined {
    return this.#values.get(name)
  }

  set(name: string, value: string): void {
    this.#values.set(name, value)
    this.#save()
  }

  /** Generates a new secret of that name and stores the previous value as `previousName`; writes both or neither. */
  rotate(name: string, previousName: string): void {
    this.#values.set(previousName, this.#values.get(name) ?? generateSecret())
    this.#values.set(name, generateSecret())
    this.#save()
  }

  delete(name: string): void {
    if (this.#values.delete(name)) this.#save()
  }

  #save() {
    writeAtomically(this.#file, JSON.stringify(Object.fromEntries(this.#values), undefined, 2) + '\n')
  }
}

const generateSecret = (): string => `p${randomBytes(24).toString('hex')}`
