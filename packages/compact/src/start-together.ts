import type { Service } from '@parley/runtime'

/** Rejects when the signal is aborted before the service has started. */
export type Start = (stop: AbortSignal) => Promise<Service>

/**
 * Starts services concurrently. If one fails or `stop` is aborted first, the others are aborted or closed, and then the
 * same error is thrown.
 */
export async function startTogether<Name>(
  starts: ReadonlyMap<Name, Start>,
  stop: AbortSignal,
): Promise<ReadonlyMap<Name, Service>> {
  const failed = new AbortController()
  const giveUp = AbortSignal.any([stop, failed.signal])
  const services = new Map<Name, Service>()
  const run = async ([name, start]: readonly [Name, Start]) => {
    try {
      services.set(name, await start(giveUp))
    } catch (error) {
      failed.abort(error)
    }
  }
  await Promise.all([...starts].map(run))
  if (!failed.signal.aborted) return services
  await closeTogether(services.values())
  throw failed.signal.reason
}

export async function closeTogether(services: Iterable<Service>): Promise<void> {
  await Promise.all([...services].map((service) => service[Symbol.asyncDispose]()))
}
