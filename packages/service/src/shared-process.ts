import { InProcessRegistry } from '@parley/rpc'
import { Health, serveInternal } from '@parley/runtime'
import type { HostConfig } from './config.ts'

/** Shared by the deployables of one process: internal port, health, and calls without the bus. */
export class SharedProcess implements AsyncDisposable {
  readonly inProcess = new InProcessRegistry()
  readonly health: Health
  readonly internalPort: number
  readonly #internal: AsyncDisposable

  private constructor(health: Health, internal: { port: number } & AsyncDisposable) {
    this.health = health
    this.internalPort = internal.port
    this.#internal = internal
  }

  /** Throws if the port is unavailable. */
  static async open(config: Pick<HostConfig, 'internalHost' | 'internalPort'>): Promise<SharedProcess> {
    const health = new Health()
    const { internalHost: host, internalPort: port } = config
    return new SharedProcess(health, await serveInternal({ host, port, health }))
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#internal[Symbol.asyncDispose]()
  }
}
