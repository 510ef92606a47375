import type { DatabaseOptions } from '@parley/postgres'
import type { Service } from '@parley/runtime'
import type { DatabaseConfig } from './config.ts'
import { DatabaseHost } from './database-host.ts'
import { Host, type HostParts } from './host.ts'

export type HostOptions = HostParts

type DatabaseHostOptions = HostOptions & { config: DatabaseConfig } & Pick<DatabaseOptions, 'forceGenericPlans'>

/**
 * Starts a deployable: opens the internal port, waits for NATS, and runs `compose`, which opens and serves the rest. If
 * anything fails, everything opened is closed. Rejects with the reason of `stop` when that is aborted first.
 */
export function startHost(options: HostOptions, compose: (host: Host) => Promise<void>): Promise<Service> {
  return startOrClose(new Host(withDependencies(options, ['nats'])), async (host) => {
    await connect(host)
    await compose(host)
  })
}

/** Like {@link startHost}, and also waits for the database. */
export function startDatabaseHost(
  options: DatabaseHostOptions,
  compose: (host: DatabaseHost) => Promise<void>,
): Promise<Service> {
  return startOrClose(new DatabaseHost(withDependencies(options, ['postgres', 'nats'])), async (host) => {
    await host.openDatabase(options.forceGenericPlans ? { forceGenericPlans: true } : {})
    host.ready('postgres')
    await connect(host)
    await compose(host)
  })
}

const withDependencies = <O extends HostOptions>(options: O, dependencies: string[]): O => ({
  ...options,
  waitsFor: [...dependencies, ...(options.waitsFor ?? [])],
})

async function connect(host: Host): Promise<void> {
  await host.connect()
  host.ready('nats')
}

async function startOrClose<H extends Host>(host: H, open: (host: H) => Promise<void>): Promise<Service> {
  try {
    await host.listen()
    await open(host)
    return host.service()
  } catch (error) {
    await host[Symbol.asyncDispose]()
    throw error
  }
}
