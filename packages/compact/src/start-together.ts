import type { Service } from '@parley/runtime'

/** Rejects when the signal is aborted before the service has started. */
export type Start = (stop: AbortSignal) => Promise<Service>

/**
 * Starts services concurrently. If one fails, or `stop` is aborted before all have started, the services that are still
 * starting are aborted and the started ones closed. Then the error of the failed service, or the reason of `stop`, is
 * thrown.
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
