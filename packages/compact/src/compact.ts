import { ConfigError } from '@parley/config'
import { type CompactDeployable, factsOf } from '@parley/contracts/deployables'
import { Resources, type Service } from '@parley/runtime'
import { SharedProcess, type Starting } from '@parley/service'
import { readConfig } from './config.ts'
import { deployables } from './deployables.ts'
import { environmentOf } from './environment.ts'

const isProxy = (name: CompactDeployable) => factsOf(name).proxies === true

/**
 * Starts deployables in this process. They call each other in memory, and the others over the bus. `env` holds the
 * settings of all of them. Throws a ConfigError with the mistakes of all; rejects with the reason of `stop` when that
 * fires first.
 */
export async function startCompact(env: NodeJS.ProcessEnv, stop: AbortSignal): Promise<Service> {
  const config = readConfig({ env })
  const { drainTimeoutMs, deployables: names } = config
  assertConfigured(names, env)
  const opened = new Resources()
  try {
    const shared = opened.use(await SharedProcess.open(config))
    const starting = { shared, stop }
    const [edge, inner] = [names.filter(isProxy), names.filter((name) => !isProxy(name))]
    const behind = await start(inner, env, starting)
    opened.defer('deployables', () => close(behind))
    const proxies = await start(edge, { ...env, ...addressesOf(behind) }, starting)
    opened.defer('proxies', () => close(proxies))
    const url = [...proxies.values()].find((service) => service.url !== undefined)?.url
    const { internalPort } = shared
    return Object.assign(opened.move(), { internalPort, drainTimeoutMs, ...(url && { url }) })
  } catch (error) {
    await opened[Symbol.asyncDispose]()
    throw error
  }
}

type Started = ReadonlyMap<CompactDeployable, Service>

/** Nothing is started while a setting of any is wrong. */
function assertConfigured(names: readonly CompactDeployable[], env: NodeJS.ProcessEnv): void {
  const mistakes = names.flatMap((name) => {
    try {
      deployables[name](environmentOf(name, env))
      return []
    } catch (error) {
      if (error instanceof ConfigError) return error.mistakes
      throw error
    }
  })
  if (mistakes.length > 0) throw new ConfigError([...new Set(mistakes)])
}

/** Starts deployables side by side. When one fails, the others are stopped before it throws. */
async function start(
  names: readonly CompactDeployable[],
  env: NodeJS.ProcessEnv,
  { shared, stop }: Required<Starting>,
): Promise<Started> {
  const failed = new AbortController()
  const starting = { shared, stop: AbortSignal.any([stop ?? failed.signal, failed.signal]) }
  const services = new Map<CompactDeployable, Service>()
  const one = async (name: CompactDeployable) => {
    try {
      services.set(name, await deployables[name](environmentOf(name, env))(starting))
    } catch (error) {
      failed.abort(error)
    }
  }
  await Promise.all(names.map(one))
  if (!failed.signal.aborted) return services
  await close(services)
  throw failed.signal.reason
}

async function close(services: Started): Promise<void> {
  await Promise.all([...services.values()].map((service) => service[Symbol.asyncDispose]()))
}

/** Settings by which proxies find the ports that were opened here, unless they are given. */
function addressesOf(services: Started): NodeJS.ProcessEnv {
  const addresses: NodeJS.ProcessEnv = {}
  for (const [name, { url }] of services) {
    const setting = factsOf(name).http?.listedAs
    if (setting !== undefined && url !== undefined) addresses[setting] = url
  }
  return addresses
}
