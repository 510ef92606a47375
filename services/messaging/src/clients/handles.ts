import { createClient, type Transport } from '@connectrpc/connect'
import { AccountsInternalService } from '@parley/contracts/internal'
import { logger } from '@parley/telemetry'
import DataLoader from 'dataloader'
import { LRUCache } from 'lru-cache'
import type { MentionedUser } from '../domain/mentions/mentioned.ts'
import { countUnresolvedHandles } from '../metrics.ts'

const log = logger('handles')

const handlesPerCall = 100
const defaultTimeoutMs = 200

type Found = ReadonlyMap<string, MentionedUser>

export const fetchHandles = (transport: Transport, timeoutMs = defaultTimeoutMs) => {
  const accounts = createClient(AccountsInternalService, transport)
  return async (handles: readonly string[]): Promise<Found> => {
    const { entries } = await accounts.resolveHandles({ handles: [...handles] }, { timeoutMs })
    return new Map(
      entries.flatMap(({ handle, owner }) => (owner.case === 'user' ? [[handle, owner.value] as const] : [])),
    )
  }
}

type Options = { ttlMs?: number; unknownTtlMs?: number; maxEntries?: number; now?: () => number }
type Entry = { user: MentionedUser | undefined }

export class Handles {
  readonly #cache: LRUCache<string, Entry>

  constructor(fetch: (handles: readonly string[]) => Promise<Found>, options: Options = {}) {
    const { ttlMs = 60_000, unknownTtlMs = 5_000, maxEntries = 50_000, now = () => performance.now() } = options
    const loader = new DataLoader((handles: readonly string[]) => fetchMany(fetch, handles), {
      ...{ cache: false, maxBatchSize: handlesPerCall },
    })
    this.#cache = new LRUCache({
      ...{ max: maxEntries, ttl: ttlMs, ttlResolution: 0, perf: { now }, ignoreFetchAbort: true },
      fetchMethod: async (handle, _older, { options: entryOptions }) => {
        const user = await loader.load(handle)
        if (!user) entryOptions.ttl = unknownTtlMs
        return { user }
      },
    })
  }

  /** Returns users by handle; undefined if a call to the service `accounts` fails. */
  async resolve(handles: readonly string[]): Promise<Found | undefined> {
    const lookups = handles.map(async (handle) => ({ handle, ...(await this.#cache.forceFetch(handle)) }))
    const answers = await Promise.allSettled(lookups)
    if (answers.some(({ status }) => status === 'rejected')) return undefined
    return new Map(
      answers.flatMap((answer) =>
        answer.status === 'fulfilled' && answer.value.user ? [[answer.value.handle, answer.value.user]] : [],
      ),
    )
  }
}

async function fetchMany(fetch: (handles: readonly string[]) => Promise<Found>, handles: readonly string[]) {
  try {
    const found = await fetch(handles)
    return handles.map((handle) => found.get(handle))
  } catch (error) {
    countUnresolvedHandles(handles.length)
    log.warn({ err: error }, 'the service accounts did not resolve handles; the mentions will be resolved later')
    throw error
  }
}
