import type { Client } from '@connectrpc/connect'
import type { User } from '@parley/contracts/api'
import type { AccountsInternalService } from '@parley/contracts/internal'
import { logger } from '@parley/telemetry'

const log = logger('notifications')
const options = { timeoutMs: 1_500 }

/** Unknown people are left out. Empty if the call fails, because notifications without names are better than none. */
export const fetchPeople =
  (accounts: Client<typeof AccountsInternalService>) =>
  async (userIds: readonly string[]): Promise<ReadonlyMap<string, User>> => {
    if (userIds.length === 0) return new Map()
    const answer = await accounts.getProfiles({ userIds: [...userIds] }, options).catch((error: unknown) => {
      log.warn({ err: error }, 'accounts did not return names: notifications are shown without them')
      return undefined
    })
    const users = answer?.profiles.flatMap(({ user }) => user ?? []) ?? []
    return new Map(users.map((user) => [user.id, user]))
  }
