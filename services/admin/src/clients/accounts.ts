import { Code, ConnectError, type Client } from '@connectrpc/connect'
import type { AccountsInternalService, Profile } from '@parley/contracts/internal'
import type { User } from '@parley/contracts/api'
import { serviceUnavailable, roleNameTaken, userNotFound } from '../errors.ts'

type Accounts = Client<typeof AccountsInternalService>

const options = { timeoutMs: 3000 }

const failUnavailable = (error: unknown): never => {
  throw serviceUnavailable('accounts', error)
}

/** Throws `not_found` if the user is unknown or deleted. */
export async function getProfile(accounts: Accounts, userId: string): Promise<Profile> {
  const { profiles } = await accounts.getProfiles({ userIds: [userId] }, options).catch(failUnavailable)
  const [profile] = profiles
  if (!profile?.user || profile.user.deleted) throw userNotFound()
  return profile
}

export async function listHolders(accounts: Accounts, roleId: string): Promise<User[]> {
  return (await accounts.listRoleHolders({ roleId }, options).catch(failUnavailable)).users
}

/** Throws `already_exists` if a login or another role has the name. */
export async function reserveName(accounts: Accounts, roleId: string, name: string): Promise<void> {
  await accounts.reserveRoleName({ roleId, name }, options).catch((error: unknown) => {
    throw ConnectError.from(error).code === Code.AlreadyExists
      ? roleNameTaken(name)
      : serviceUnavailable('accounts', error)
  })
}

export async function releaseName(accounts: Accounts, roleId: string): Promise<void> {
  await accounts.releaseRoleName({ roleId }, options)
}
