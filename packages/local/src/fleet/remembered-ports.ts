import { freePort, isPortFree } from '../infrastructure/index.ts'
import { readJson, writeAtomically } from './files.ts'

/** Ports of the fleet's own servers, the same at each start unless another program has taken them. */
export class RememberedPorts {
  readonly #file: string
  readonly #ports: Record<string, number> = {}

  constructor(file: string) {
    this.#file = file
    for (const [name, port] of Object.entries(readJson(file) ?? {}))
      if (typeof port === 'number') this.#ports[name] = port
  }

  /**
   * The remembered port of that name if it is free, otherwise a new one. Call it after the processes of the last run
   * have ended.
   */
  async get(name: string): Promise<number> {
    const known = this.#ports[name]
    if (known !== undefined && (await isPortFree(known))) return known
    let port = await freePort()
    while (Object.values(this.#ports).includes(port)) port = await freePort()
    this.#ports[name] = port
    writeAtomically(this.#file, JSON.stringify(this.#ports) + '\n')
    return port
  }
}
