import { eagerLimiter, takeFromNetworks, waitMsOfNetworks } from '@parley/redis'

export type RenderingLimit = AsyncDisposable & {
  /** Counts one new size and returns 0. If a limit is reached, returns the milliseconds to wait instead. */
  take(callerId: string, address: string): number
}

/** Bounds the memory that an attacker with very many accounts or addresses can use. */
const maxIds = 50_000

type Options = { perHour: number; perNetworkAndHour: number }

export function openRenderingLimit({ perHour, perNetworkAndHour }: Options): RenderingLimit {
  const limit = { windowMs: 3_600_000, maxIds }
  const people = eagerLimiter({ ...limit, key: 'renderings', points: perHour })
  const networks = eagerLimiter({ ...limit, key: 'renderings-by-network', points: perNetworkAndHour })
  return {
    take: (callerId, address) => {
      const waitMs = Math.max(people.wait(callerId), waitMsOfNetworks(networks, address))
      return waitMs > 0 ? waitMs : Math.max(people.take(callerId), takeFromNetworks(networks, address))
    },
    async [Symbol.asyncDispose]() {
      await people[Symbol.asyncDispose]()
      await networks[Symbol.asyncDispose]()
    },
  }
}
