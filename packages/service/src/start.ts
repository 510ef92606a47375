import type { DatabaseOptions } from '@parley/postgres'
import type { Service } from '@parley/runtime'
import type { DatabaseConfig } from './config.ts'
import { DatabaseHost } from './database-host.ts'
import { Host, type HostParts } from './host.ts'

/** Options for starting a deployable. */
export type HostOptions = HostParts

type DatabaseHostOptions = HostOptions & { config: DatabaseConfig } & Pick<DatabaseOptions, 'planOnce'>

/**
 * Starts a deployable: opens the internal port, waits for NATS, and runs `compose`, which opens and serves the rest. If
 * anything fails, everything opened is closed. Rejects with the reason of `stop` when that fires first.
 */
export function startHost(options: HostOptions, compose: (host: Host) => Promise<void>): Promise<Service> {
  return started(new Host(withDependencies(options, ['nats'])), async (ground) => {
    await connect(ground)
    await compose(ground)
  })
}

/** Starts a deployable with a database; waits for the database first. */
export function startDatabaseHost(
  options: DatabaseHostOptions,
  compose: (host: DatabaseHost) => Promise<void>,
): Promise<Service> {
  return started(new DatabaseHost(withDependencies(options, ['postgres', 'nats'])), async (ground) => {
    await ground.openDatabase(options.planOnce ? { planOnce: true } : {})
    ground.ready('postgres')
    await connect(ground)
    await compose(ground)
  })
}

const withDependencies = <O extends HostOptions>(options: O, dependencies: string[]): O => ({
  ...options,
  waitsFor: [...dependencies, ...(options.waitsFor ?? [])],
})

async function connect(ground: Host): Promise<void> {
  await ground.connect()
  ground.ready('nats')
}

async function started<H extends Host>(ground: H, open: (ground: H) => Promise<void>): Promise<Service> {
  try {
    await ground.listen()
    await open(ground)
    return ground.service()
  } catch (error) {
    await ground[Symbol.asyncDispose]()
    throw error
  }
}
