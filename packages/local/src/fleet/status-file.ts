import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { writeAtomically } from './files.ts'

export type FleetProcess = {
  name: string
  /** The names of the deployables, if the process runs several. */
  holds?: string[]
  pid: number
  internalPort: number
  /** URL of its HTTP port, if it has one besides the internal port. */
  url?: string
}

export const isProcessOf = (deployable: string, { name, holds = [] }: Pick<FleetProcess, 'name' | 'holds'>): boolean =>
  name === deployable || holds.includes(deployable)

export type ReadyState = {
  url: string
  ownerLogin: string
  services: FleetProcess[]
  /** Page that shows mails while there is no mail server. Anyone with the URL can read them. */
  mailUrl?: string
}

const retryMs = 2_000

export class StatusFile<State extends object = ReadyState> {
  readonly #file: string | undefined
  readonly #say: (line: string) => void
  #state: (() => State) | undefined
  #retry: NodeJS.Timeout | undefined

  /** Removes the file of an earlier run. Of consecutive failures to write, only the first is printed with `say`. */
  constructor(file: string | undefined, say: (line: string) => void) {
    this.#file = file === undefined ? undefined : resolve(file)
    this.#say = say
    this.#delete()
  }

  start(state: () => State): void {
    this.#state = state
    this.update()
  }

  /** A failed write is retried later, and does not stop the fleet. */
  update(): void {
    if (this.#file === undefined || this.#state === undefined) return
    clearTimeout(this.#retry)
    try {
      writeAtomically(this.#file, JSON.stringify(this.#state(), undefined, 2) + '\n')
    } catch (error) {
      if (this.#retry === undefined)
        this.#say(`${this.#file} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
      this.#retry = setTimeout(() => this.update(), retryMs).unref()
      return
    }
    this.#retry = undefined
  }

  remove(): void {
    this.#state = undefined
    clearTimeout(this.#retry)
    this.#delete()
  }

  #delete() {
    if (this.#file !== undefined) rmSync(this.#file, { force: true })
  }
}
