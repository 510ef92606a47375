import { Resolver } from 'node:dns/promises'
import type { Address, Resolve } from './guarded-lookup.ts'
import { isLoopbackName } from './loopback-name.ts'

/** A name is not asked about now: too many others are, or have been for too long. Says nothing about the name. */
export class ResolverBusy extends Error {
  constructor() {
    super('too many names are being resolved')
  }
}

export type ResolverOptions = {
  /** Name servers, as `address:port`; default: those of the system. */
  servers?: readonly string[]
  /** Names in question at a time. */
  maxAtOnce?: number
  /** Names that wait for their turn; further ones are refused. */
  mostWaiting?: number
  /** How many names of one asker may wait while another name of that asker is resolved. */
  mostWaitingPerAsker?: number
  /** Longest wait of a name for its turn. */
  patienceMs?: number
  /** Timeout for resolving a name. */
  timeoutMs?: number
}

/** A name that waits for its turn. */
type Waiting = { asker: string; begin: () => void; refuse: (error: Error) => void }

/**
 * Resolves names with c-ares on its own sockets. `dns.lookup` would block one of libuv's few threads until the name
 * server answers, and database connections and files need those threads. Uses only name servers, not /etc/hosts or
 * search domains. One name per asker and a few in total are resolved at a time; concurrent requests for the same name
 * share one query.
 */
export class NameResolver implements Disposable {
  readonly #servers: readonly string[] | undefined
  readonly #maxAtOnce: number
  readonly #mostWaiting: number
  readonly #mostWaitingPerAsker: number
  readonly #patienceMs: number
  readonly #timeoutMs: number
  /** Running queries by name. */
  readonly #answers = new Map<string, Promise<Address[]>>()
  /** Names that wait or are in question, by asker and name. */
  readonly #turns = new Map<string, Promise<Address[]>>()
  readonly #askers = new Set<string>()
  readonly #resolvers = new Set<Resolver>()
  #waiting: Waiting[] = []

  constructor({
    servers,
    maxAtOnce = 16,
    mostWaiting = 64,
    mostWaitingPerAsker = 0,
    patienceMs = 1_000,
    timeoutMs = 3_000,
  }: ResolverOptions = {}) {
    this.#servers = servers
    this.#maxAtOnce = maxAtOnce
    this.#mostWaiting = mostWaiting
    this.#mostWaitingPerAsker = mostWaitingPerAsker
    this.#patienceMs = patienceMs
    this.#timeoutMs = timeoutMs
  }

  /** Names in question. */
  get pending(): number {
    return this.#askers.size
  }

  /** All addresses of a name. Rejects with {@link ResolverBusy}, or with an error of node:dns. */
  readonly resolve: Resolve = (hostname, asker) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    if (isLoopbackName(name)) return Promise.resolve(loopback)
    const underWay = this.#answers.get(name)
    if (underWay) return underWay
    // Nobody shares the wait of another.
    const id = `${asker} ${name}`
    const known = this.#turns.get(id)
    if (known) return known
    const answer = this.#inTurn(name, asker).finally(() => this.#turns.delete(id))
    this.#turns.set(id, answer)
    return answer
  };

  /** Gives up every name in question. */
  [Symbol.dispose](): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(new ResolverBusy())
    for (const resolver of this.#resolvers) resolver.cancel()
  }

  async #inTurn(name: string, asker: string): Promise<Address[]> {
    await this.#turn(asker)
    try {
      return await (this.#answers.get(name) ?? this.#asked(name))
    } finally {
      this.#askers.delete(asker)
      this.#letIn()
    }
  }

  /** Completes when the asker may have a name in question. */
  async #turn(asker: string): Promise<void> {
    const ahead = this.#waiting.filter((one) => one.asker === asker).length
    const isBusy = this.#askers.has(asker) && ahead >= this.#mostWaitingPerAsker
    if (isBusy || this.#waiting.length >= this.#mostWaiting) throw new ResolverBusy()
    let late: NodeJS.Timeout | undefined
    try {
      await new Promise<void>((begin, refuse) => {
        const one = { asker, begin, refuse }
        late = setTimeout(() => {
          this.#waiting = this.#waiting.filter((other) => other !== one)
          refuse(new ResolverBusy())
        }, this.#patienceMs)
        this.#waiting.push(one)
        this.#letIn()
      })
    } finally {
      clearTimeout(late)
    }
  }

  #letIn(): void {
    for (const one of [...this.#waiting]) {
      if (this.#askers.size >= this.#maxAtOnce) return
      if (this.#askers.has(one.asker)) continue
      this.#waiting.splice(this.#waiting.indexOf(one), 1)
      this.#askers.add(one.asker)
      one.begin()
    }
  }

  /** Resolves a name; concurrent requests share the result. */
  #asked(name: string): Promise<Address[]> {
    const answer = this.#ask(name).finally(() => this.#answers.delete(name))
    this.#answers.set(name, answer)
    return answer
  }

  async #ask(name: string): Promise<Address[]> {
    const resolver = new Resolver({ timeout: this.#timeoutMs / 3, tries: 2 })
    if (this.#servers) resolver.setServers(this.#servers)
    this.#resolvers.add(resolver)
    const late = setTimeout(() => resolver.cancel(), this.#timeoutMs)
    try {
      const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
      const found = [...addressesOf(v4, 4), ...addressesOf(v6, 6)]
      if (found.length === 0 && v4.status === 'rejected') throw v4.reason as Error
      return found
    } finally {
      clearTimeout(late)
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
