import { RememberedCredentials, type Caller, type CredentialDigests } from '@parley/credentials'
import type { Event } from '@parley/contracts/internal'
import type { Accounts } from '../../clients/accounts.ts'
import type { Rooms } from '../../clients/rooms.ts'
import type { Metrics } from '../../metrics.ts'
import { RequestBatcher } from './request-batcher.ts'
import type { Hub } from './hub.ts'
import type { UserAccess } from './user-access.ts'

const gatherMs = 20
const maxBatch = 1_000

export class DependencyUnavailable extends Error {}

/**
 * Loads, for many sockets at once, the callers from the service `accounts`, then their standings from the service
 * `rooms`. Events that arrive during a call are applied to its response, so a late response is harmless.
 */
export class SocketOpener implements Disposable {
  readonly #hub: Hub
  readonly #metrics: Pick<Metrics, 'reportDependencyFailure'>
  readonly #callers: RequestBatcher<Buffer, Caller | undefined>
  readonly #rekeyings: RequestBatcher<{ previous: Buffer; digest: Buffer }, void>
  readonly #standings: RequestBatcher<UserAccess, void>
  readonly #validCredentials = new RememberedCredentials()
  /** For each running request for callers: events about credentials and roles since it began. */
  readonly #meanwhile = new Set<Event[]>()

  constructor(options: {
    hub: Hub
    accounts: Accounts
    rooms: Rooms
    metrics: Pick<Metrics, 'reportDependencyFailure'>
  }) {
    this.#hub = options.hub
    this.#metrics = options.metrics
    this.#callers = new RequestBatcher((digests) => this.#requestCallers(options.accounts, digests), {
      gatherMs,
      maxBatch,
    })
    this.#rekeyings = new RequestBatcher((entries) => this.#rekey(options.accounts, entries), { gatherMs, maxBatch })
    this.#standings = new RequestBatcher((users) => this.#requestStandings(options.rooms, users), {
      gatherMs,
      maxBatch,
    })
  }

  /**
   * The caller of the first valid credential; undefined if there is none. A credential stored under the previous secret
   * key is stored again under the current one. Rejects with DependencyUnavailable if a call to accounts fails.
   */
  async authenticate(credentials: readonly CredentialDigests[]): Promise<Caller | undefined> {
    for (const { digest, previous } of credentials) {
      const caller = await this.#find(digest)
      if (caller) return caller
      const known = previous && (await this.#find(previous))
      if (!known) continue
      // A failure is harmless: the next socket retries this.
      this.#rekeyings.request({ previous, digest }).catch(() => undefined)
      return known
    }
    return undefined
  }

  /** Whether the last check on this node, however long ago, found the credential valid; false if none is remembered. */
  wasValid(credential: CredentialDigests): boolean {
    return this.#validCredentials.has(credential)
  }

  async #find(digest: Buffer): Promise<Caller | undefined> {
    const caller = await this.#callers.request(digest)
    this.#validCredentials.record(digest, caller !== undefined)
    return caller
  }

  /** Rejects with DependencyUnavailable if the call to rooms fails. */
  loadStandings(user: UserAccess): Promise<void> {
    if (user.loaded) return Promise.resolve()
    user.loading ??= this.#standings.request(user).finally(() => {
      user.loading = undefined
    })
    return user.loading
  }

  observe(event: Event): void {
    if (event.fact.case !== 'credentialsEnded' && event.fact.case !== 'userRolesChanged') return
    for (const events of this.#meanwhile) events.push(event)
  }

  [Symbol.dispose](): void {
    this.#callers[Symbol.dispose]()
    this.#rekeyings[Symbol.dispose]()
    this.#standings[Symbol.dispose]()
  }

  async #requestCallers(accounts: Accounts, digests: Buffer[]): Promise<(Caller | undefined)[]> {
    const meanwhile: Event[] = []
    this.#meanwhile.add(meanwhile)
    try {
      const callers = await this.#responseOf('accounts', accounts.findCallers(digests))
      return digests.map((digest) => applyEvents(callers.get(digest.toString('hex')), meanwhile))
    } finally {
      this.#meanwhile.delete(meanwhile)
    }
  }

  async #rekey(accounts: Accounts, entries: { previous: Buffer; digest: Buffer }[]): Promise<void[]> {
    await this.#responseOf('accounts', accounts.rekey(entries))
    return entries.map(() => undefined)
  }

  async #responseOf<T>(service: string, response: Promise<T>): Promise<T> {
    try {
      return await response
    } catch (error) {
      this.#metrics.reportDependencyFailure(service, error)
      throw new DependencyUnavailable(`a call to ${service} failed`, { cause: error })
    }
  }

  async #requestStandings(rooms: Rooms, users: UserAccess[]): Promise<void[]> {
    const standings = await this.#responseOf('rooms', rooms.listStandings(users.map((user) => user.userId)))
    return users.map((user) => {
      for (const standing of standings.get(user.userId) ?? []) {
        user.setMember(standing.roomId, standing.member, standing.memberVersion, standing.dm)
        user.setBan(standing.roomId, standing.banned, standing.banExpiresAt, standing.banVersion)
      }
      this.#hub.finishLoading(user)
    })
  }
}

function applyEvents(caller: Caller | undefined, meanwhile: readonly Event[]): Caller | undefined {
  if (!caller) return undefined
  let { roleIds, rolesVersion } = caller
  for (const { aggregateId, fact } of meanwhile) {
    if (aggregateId !== caller.userId) continue
    if (fact.case === 'credentialsEnded' && (fact.value.all || fact.value.credentialIds.includes(caller.credentialId)))
      return undefined
    if (fact.case === 'userRolesChanged' && fact.value.rolesVersion > rolesVersion)
      ({ roleIds, rolesVersion } = fact.value)
  }
  return { ...caller, roleIds, rolesVersion }
}
