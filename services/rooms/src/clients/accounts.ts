import type { Client } from '@connectrpc/connect'
import type { AccountsInternalService, Profile } from '@parley/contracts/internal'
import { accountsUnavailable, userNotFound } from '../errors.ts'

type Accounts = Client<typeof AccountsInternalService>

const profilesPerCall = 500

/**
 * Profiles by user id; unknown users are missing, deleted ones marked. Throws `unavailable` if a call to the service
 * `accounts` fails.
 */
export async function findProfiles(accounts: Accounts, userIds: readonly string[]): Promise<Map<string, Profile>> {
  const calls: string[][] = []
  for (let from = 0; from < userIds.length; from += profilesPerCall)
    calls.push(userIds.slice(from, from + profilesPerCall))
  const answers = await Promise.all(
    calls.map((ids) => accounts.getProfiles({ userIds: ids }, { timeoutMs: 3000 })),
  ).catch((error: unknown) => {
    throw accountsUnavailable(error)
  })
  return new Map(answers.flatMap(({ profiles }) => profiles.map((profile) => [profile.user?.id ?? '', profile])))
}

/** Throws `not_found` for unknown and deleted users. */
export async function getProfile(accounts: Accounts, userId: string): Promise<Profile> {
  const profile = (await findProfiles(accounts, [userId])).get(userId)
  if (!profile?.user || profile.user.deleted) throw userNotFound()
  return profile
}

/** Throws as `getProfile` does. */
export async function assertUsersExist(accounts: Accounts, userIds: readonly string[]): Promise<void> {
  const profiles = await findProfiles(accounts, userIds)
  for (const userId of userIds) if (profiles.get(userId)?.user?.deleted !== false) throw userNotFound()
}
