import { logger } from '@parley/telemetry'

type Closer = { name: string; close: () => Promise<void> | void }

/**
 * Collects opened resources and closes them in reverse order. A closer that fails is logged; the others still run.
 *
 * @example
 *   await using opened = new Resources() // a failure half-way closes what is already open
 *   const database = opened.use(await openDatabase(config))
 *   return Object.assign(opened.move(), { internalPort })
 */
export class Resources implements AsyncDisposable {
  #closers: Closer[] = []

  use<T extends AsyncDisposable | Disposable>(resource: T): T {
    const name = resource.constructor.name
    if (Symbol.asyncDispose in resource) {
      this.defer(name, async () => resource[Symbol.asyncDispose]())
    } else {
      this.defer(name, () => resource[Symbol.dispose]())
    }
    return resource
  }

  /** `name` is for the log. */
  defer(name: string, close: () => Promise<void> | void): void {
    this.#closers.push({ name, close })
  }

  /** Moves all resources to the returned object; disposing this one then closes nothing. */
  move(): AsyncDisposable {
    const moved = new Resources()
    moved.#closers = this.#closers
    this.#closers = []
    return moved
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (let closer = this.#closers.pop(); closer; closer = this.#closers.pop()) {
      try {
        await closer.close()
      } catch (error) {
        logger('runtime').error({ err: error, resource: closer.name }, 'closing failed')
      }
    }
  }
}
