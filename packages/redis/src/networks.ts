import { isIPv6 } from 'node:net'
import type { EagerLimiter } from './eager-limiter.ts'
import { rateLimiter, type Allowance, type RateLimit } from './rate-limiter.ts'

/** A network that contains an address; `budgetFactor`: its budget as a multiple of a single customer's. */
export type Network = { id: string; budgetFactor: number }

/**
 * The networks under which limits count an address, narrowest first. An IPv6 /64 belongs to one customer. A customer
 * may have a whole /56 or /48, so these have budgets too, only two and four times as large. An IPv4 address belongs to
 * one customer or is shared by many. Its /24 has a budget too, larger because it may belong to many customers.
 */
export function networksOf(address: string): Network[] {
  if (!isIPv6(address)) {
    const [a, b, c, d] = address.split('.')
    return [
      { id: address, budgetFactor: 1 },
      ...(d === undefined ? [] : [{ id: `${a}.${b}.${c}.0/24`, budgetFactor: 16 }]),
    ]
  }
  const [g0 = 0, g1 = 0, g2 = 0, g3 = 0] = firstGroups(address)
  const prefix = (last: number) => [g0, g1, g2, last].map((group) => group.toString(16)).join(':')
  return [
    { id: `${prefix(g3)}::/64`, budgetFactor: 1 },
    { id: `${prefix(g3 & 0xff00)}::/56`, budgetFactor: 2 },
    { id: `${prefix(0)}::/48`, budgetFactor: 4 },
  ]
}

function firstGroups(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')))
  const written = [...(before ?? []), ...(after ?? [])]
  const length = written.length + (written.at(-1)?.includes('.') ? 1 : 0)
  const zeros = Array.from({ length: Math.max(0, 8 - length) }, () => '0')
  const all = tail === undefined ? written : [...(before ?? []), ...zeros, ...(after ?? [])]
  return all.slice(0, 4).map((group) => Number.parseInt(group, 16))
}

/** All networks of an address must have points left. */
export type NetworkLimiter = {
  /** Takes a point in every network, or none. Each `subject` is counted separately. Never rejects. */
  consume(address: string, subject?: string): Promise<Allowance>
  /** Returns the points that {@link NetworkLimiter.consume} took. Never rejects. */
  refund(address: string, subject?: string): Promise<void>
}

/** A {@link rateLimiter} for each size of network; `points` are the budget of a single customer. */
export function networkLimiter({ key, points, ...limit }: RateLimit): NetworkLimiter {
  const limiters = new Map(
    [1, 2, 4, 16].map((budgetFactor) => [
      budgetFactor,
      rateLimiter({
        ...limit,
        key: budgetFactor === 1 ? key : `${key}:x${budgetFactor}`,
        points: points * budgetFactor,
      }),
    ]),
  )
  const limitersOf = (address: string, subject: string) =>
    networksOf(address).flatMap(({ id, budgetFactor }) => {
      const limiter = limiters.get(budgetFactor)
      return limiter ? [{ limiter, id: subject === '' ? id : `${subject}:${id}` }] : []
    })
  return {
    async consume(address, subject = '') {
      const counts = limitersOf(address, subject)
      for (const [index, { limiter, id }] of counts.entries()) {
        const allowance = await limiter.consume(id)
        if (allowance.allowed) continue
        await Promise.all(counts.slice(0, index + 1).map((taken) => taken.limiter.refund(taken.id)))
        return allowance
      }
      return { allowed: true, retryAfterMs: 0 }
    },
    async refund(address, subject = '') {
      await Promise.all(limitersOf(address, subject).map(({ limiter, id }) => limiter.refund(id)))
    },
  }
}

/** Milliseconds until every network of an address has points again; 0 if each has some now. Takes no point. */
export const waitMsOfNetworks = (limiter: EagerLimiter, address: string): number =>
  Math.max(...networksOf(address).map(({ id, budgetFactor }) => limiter.wait(id, budgetFactor)))

/** Takes a point in every network of an address, or none; returns like {@link EagerLimiter.take}. */
export function takeFromNetworks(limiter: EagerLimiter, address: string): number {
  const waitMs = waitMsOfNetworks(limiter, address)
  if (waitMs === 0) for (const { id, budgetFactor } of networksOf(address)) limiter.take(id, budgetFactor)
  return waitMs
}

export class NetworkCounts {
  readonly #perCustomer: number
  readonly #maxOfAny: number
  readonly #counts = new Map<string, number>()

  /** @param perCustomer - limit for a single customer; wider networks have more, up to `maxOfAny` */
  constructor(perCustomer: number, maxOfAny = Infinity) {
    this.#perCustomer = perCustomer
    this.#maxOfAny = Math.max(perCustomer, maxOfAny)
  }

  /** Takes the amount from each of the networks, or from none; returns whether it did. */
  take(networks: readonly Network[], amount = 1): boolean {
    const isWithinBudget = ({ id, budgetFactor }: Network) =>
      (this.#counts.get(id) ?? 0) + amount <= Math.min(this.#perCustomer * budgetFactor, this.#maxOfAny)
    if (!networks.every(isWithinBudget)) return false
    for (const { id } of networks) this.#counts.set(id, (this.#counts.get(id) ?? 0) + amount)
    return true
  }

  release(networks: readonly Network[], amount = 1): void {
    for (const { id } of networks) {
      const left = (this.#counts.get(id) ?? 0) - amount
      if (left > 0) this.#counts.set(id, left)
      else this.#counts.delete(id)
    }
  }
}
