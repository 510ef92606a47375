import { Resolver } from 'node:dns/promises'
import type { Address, Resolve } from './guarded-lookup.ts'
import { isLoopbackName } from './loopback-name.ts'

/** A name was not resolved because too many others are waiting or took too long; the name itself may exist. */
export class ResolverBusy extends Error {
  constructor() {
    super('too many names are being resolved')
  }
}

export type ResolverOptions = {
  /** Name servers as `address:port`; default: those of the system. */
  servers?: readonly string[]
  maxAtOnce?: number
  /** Number of names that may wait; further ones are refused. */
  maxWaiting?: number
  /** Names of one caller that may wait while another of its names is resolved. */
  maxWaitingPerCaller?: number
  maxWaitMs?: number
  /** Limit for the queries of one name. */
  timeoutMs?: number
}

type Waiting = { callerId: string; begin: () => void; refuse: (error: Error) => void }

/**
 * Resolves names with c-ares on its own sockets. `dns.lookup` would block one of libuv's few threads until the name
 * server answers, and database connections and files need those threads. Uses only name servers, not /etc/hosts or
 * search domains. One name per caller and a few in total are resolved at a time; concurrent requests for the same name
 * share its queries, one for IPv4 and one for IPv6.
 */
export class NameResolver implements Disposable {
  readonly #servers: readonly string[] | undefined
  readonly #maxAtOnce: number
  readonly #maxWaiting: number
  readonly #maxWaitingPerCaller: number
  readonly #maxWaitMs: number
  readonly #timeoutMs: number
  readonly #running = new Map<string, Promise<Address[]>>()
  /** By caller and name. */
  readonly #requests = new Map<string, Promise<Address[]>>()
  readonly #active = new Set<string>()
  readonly #resolvers = new Set<Resolver>()
  #waiting: Waiting[] = []

  constructor({
    servers,
    maxAtOnce = 16,
    maxWaiting = 64,
    maxWaitingPerCaller = 0,
    maxWaitMs = 1_000,
    timeoutMs = 3_000,
  }: ResolverOptions = {}) {
    this.#servers = servers
    this.#maxAtOnce = maxAtOnce
    this.#maxWaiting = maxWaiting
    this.#maxWaitingPerCaller = maxWaitingPerCaller
    this.#maxWaitMs = maxWaitMs
    this.#timeoutMs = timeoutMs
  }

  get pending(): number {
    return this.#active.size
  }

  /** Rejects with {@link ResolverBusy}, or with an error of node:dns. */
  readonly resolve: Resolve = (hostname, callerId) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    if (isLoopbackName(name)) return Promise.resolve(loopback)
    const running = this.#running.get(name)
    if (running) return running
    // Only requests of the same caller share a position in the queue.
    const id = `${callerId} ${name}`
    const known = this.#requests.get(id)
    if (known) return known
    const answer = this.#resolveInTurn(name, callerId).finally(() => this.#requests.delete(id))
    this.#requests.set(id, answer)
    return answer
  };

  [Symbol.dispose](): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(new ResolverBusy())
    for (const resolver of this.#resolvers) resolver.cancel()
  }

  async #resolveInTurn(name: string, callerId: string): Promise<Address[]> {
    await this.#waitForTurn(callerId)
    try {
      return await (this.#running.get(name) ?? this.#resolveOnce(name))
    } finally {
      this.#active.delete(callerId)
      this.#admitNext()
    }
  }

  async #waitForTurn(callerId: string): Promise<void> {
    const ahead = this.#waiting.filter((one) => one.callerId === callerId).length
    const isBusy = this.#active.has(callerId) && ahead >= this.#maxWaitingPerCaller
    if (isBusy || this.#waiting.length >= this.#maxWaiting) throw new ResolverBusy()
    let timeout: NodeJS.Timeout | undefined
    try {
      await new Promise<void>((begin, refuse) => {
        const one = { callerId, begin, refuse }
        timeout = setTimeout(() => {
          this.#waiting = this.#waiting.filter((other) => other !== one)
          refuse(new ResolverBusy())
        }, this.#maxWaitMs)
        this.#waiting.push(one)
        this.#admitNext()
      })
    } finally {
      clearTimeout(timeout)
    }
  }

  #admitNext(): void {
    for (const one of [...this.#waiting]) {
      if (this.#active.size >= this.#maxAtOnce) return
      if (this.#active.has(one.callerId)) continue
      this.#waiting.splice(this.#waiting.indexOf(one), 1)
      this.#active.add(one.callerId)
      one.begin()
    }
  }

  /** Concurrent requests share the result. */
  #resolveOnce(name: string): Promise<Address[]> {
    const answer = this.#resolve(name).finally(() => this.#running.delete(name))
    this.#running.set(name, answer)
    return answer
  }

  async #resolve(name: string): Promise<Address[]> {
    const resolver = new Resolver({ timeout: this.#timeoutMs / 3, tries: 2 })
    if (this.#servers) resolver.setServers(this.#servers)
    this.#resolvers.add(resolver)
    const timeout = setTimeout(() => resolver.cancel(), this.#timeoutMs)
    try {
      const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
      const found = [...addressesOf(v4, 4), ...addressesOf(v6, 6)]
      if (found.length === 0 && v4.status === 'rejected') throw v4.reason as Error
      return found
    } finally {
      clearTimeout(timeout)
      this.#resolvers.delete(resolver)
    }
  }
}

const loopback: Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

const addressesOf = (answer: PromiseSettledResult<string[]>, family: 4 | 6): Address[] =>
  answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
