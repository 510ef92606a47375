import { createClient, type Transport } from '@connectrpc/connect'
import type { User } from '@parley/contracts/api'
import { AccountsInternalService } from '@parley/contracts/internal'
import { logger } from '@parley/telemetry'
import DataLoader from 'dataloader'
import { LRUCache } from 'lru-cache'
import { countUnresolvedProfiles } from '../metrics.ts'

const log = logger('profiles')

const idsPerCall = 500
const defaultTimeoutMs = 1_000
/** As short as possible, so that a profile that the service `accounts` did not return is requested again. */
const unknownMs = 1

/** Leaves out unknown ids. */
export const fetchProfiles = (transport: Transport, timeoutMs = defaultTimeoutMs) => {
  const accounts = createClient(AccountsInternalService, transport)
  return async (userIds: string[]): Promise<User[]> => {
    const { profiles } = await accounts.getProfiles({ userIds }, { timeoutMs })
    return profiles.flatMap(({ user }) => user ?? [])
  }
}

type Options = { freshMs?: number; maxStaleMs?: number; maxEntries?: number; now?: () => number }
type Entry = { user: User | undefined; at: number }

/**
 * Profiles include presence, so they are cached for seconds, and events about the user drop them. While calls to the
 * service `accounts` fail, profiles up to ten minutes old are used and the others left out: a page without names is
 * better than none.
 */
export class Profiles {
  readonly #cache: LRUCache<string, Entry>

  constructor(fetch: (userIds: string[]) => Promise<User[]>, options: Options = {}) {
    const { freshMs = 10_000, maxStaleMs = 600_000, maxEntries = 50_000, now = () => performance.now() } = options
    const loader = new DataLoader((userIds: readonly string[]) => fetchMany(fetch, userIds), {
      ...{ cache: false, maxBatchSize: idsPerCall, batchScheduleFn: setImmediate },
    })
    this.#cache = new LRUCache({
      ...{ max: maxEntries, ttl: freshMs, ttlResolution: 0, perf: { now }, noDeleteOnStaleGet: true },
      // Calls that wait for a dropped profile get the response, which is not cached.
      ignoreFetchAbort: true,
      fetchMethod: async (id, older, { options: entryOptions }) => {
        const user = await loader.load(id)
        if (user) return { user, at: now() }
        entryOptions.ttl = unknownMs
        return older && now() - older.at < maxStaleMs ? older : { user, at: now() }
      },
    })
  }

  async get(userIds: readonly string[]): Promise<Map<string, User>> {
    const known = await Promise.all(
      userIds.map(async (id) => this.#cache.get(id) ?? (await this.#cache.forceFetch(id))),
    )
    return new Map(known.flatMap(({ user }) => (user ? [[user.id, user]] : [])))
  }

  drop(userId: string): void {
    this.#cache.delete(userId)
  }

  /** To be called when changes may have been missed. */
  clear(): void {
    this.#cache.clear()
  }
}

async function fetchMany(fetch: (ids: string[]) => Promise<User[]>, userIds: readonly string[]) {
  try {
    const found = new Map((await fetch([...userIds])).map((user) => [user.id, user]))
    return userIds.map((id) => found.get(id))
  } catch (error) {
    countUnresolvedProfiles(userIds.length)
    log.warn(
      { err: error },
      'the service accounts did not return profiles: cached ones are used, unknown ones left out',
    )
    return userIds.map(() => undefined)
  }
}
