import { ConfigError } from '@parley/config'
import { type CompactDeployable, propertiesOf } from '@parley/contracts/deployables'
import { Resources, type Service } from '@parley/runtime'
import { SharedProcess } from '@parley/service'
import { readConfig } from './config.ts'
import { deployables } from './deployables.ts'
import { environmentOf } from './environment.ts'
import { closeTogether, startTogether, type Start } from './start-together.ts'

const isProxy = (name: CompactDeployable) => propertiesOf(name).proxies === true

/**
 * Starts the configured deployables in this process. They call each other in memory, and the deployables of other
 * processes over the bus. `env` contains the settings of all of them. Throws a ConfigError with the problems of the
 * process or, if it has none, of all deployables. Rejects with the reason of `stop` if that is aborted before all have
 * started.
 */
export async function startCompact(env: NodeJS.ProcessEnv, stop: AbortSignal): Promise<Service> {
  const config = readConfig({ env })
  const { drainTimeoutMs, deployables: names } = config
  assertConfigured(names, env)
  const opened = new Resources()
  try {
    const shared = opened.use(await SharedProcess.open(config))
    const startAll = (some: CompactDeployable[], settings: NodeJS.ProcessEnv) =>
      startTogether(new Map(some.map((name) => [name, startOf(name, settings, shared)])), stop)
    const others = await startAll(
      names.filter((name) => !isProxy(name)),
      env,
    )
    opened.defer('deployables', () => closeTogether(others.values()))
    const proxies = await startAll(names.filter(isProxy), { ...env, ...addressesOf(others) })
    opened.defer('proxies', () => closeTogether(proxies.values()))
    const url = [...proxies.values()].find((service) => service.url !== undefined)?.url
    const { internalPort } = shared
    return Object.assign(opened.move(), { internalPort, drainTimeoutMs, ...(url && { url }) })
  } catch (error) {
    await opened[Symbol.asyncDispose]()
    throw error
  }
}

function startOf(name: CompactDeployable, env: NodeJS.ProcessEnv, shared: SharedProcess): Start {
  return (stop) => deployables[name](environmentOf(name, env))({ shared, stop })
}

/** Throws a ConfigError with the problems of all deployables whose configuration is invalid. */
function assertConfigured(names: readonly CompactDeployable[], env: NodeJS.ProcessEnv): void {
  const problems = names.flatMap((name) => {
    try {
      deployables[name](environmentOf(name, env))
      return []
    } catch (error) {
      if (error instanceof ConfigError) return error.problems
      throw error
    }
  })
  if (problems.length > 0) throw new ConfigError([...new Set(problems)])
}

function addressesOf(services: ReadonlyMap<CompactDeployable, Service>): NodeJS.ProcessEnv {
  const addresses: NodeJS.ProcessEnv = {}
  for (const [name, { url }] of services) {
    const setting = propertiesOf(name).http?.listedAs
    if (setting !== undefined && url !== undefined) addresses[setting] = url
  }
  return addresses
}
