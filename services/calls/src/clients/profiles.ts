import type { Client } from '@connectrpc/connect'
import type { User } from '@parley/contracts/api'
import type { AccountsInternalService } from '@parley/contracts/internal'
import { accountsUnavailable } from '../errors.ts'

const timeoutMs = 3_000
const idsPerCall = 500

export class Profiles {
  readonly #accounts: Client<typeof AccountsInternalService>

  constructor(accounts: Client<typeof AccountsInternalService>) {
    this.#accounts = accounts
  }

  /** Profiles by id; unknown ids are left out. */
  async get(userIds: readonly string[]): Promise<Map<string, User>> {
    const wanted = [...new Set(userIds)]
    const found = new Map<string, User>()
    for (let start = 0; start < wanted.length; start += idsPerCall)
      for (const user of await this.#fetch(wanted.slice(start, start + idsPerCall))) found.set(user.id, user)
    return found
  }

  async #fetch(userIds: string[]): Promise<User[]> {
    try {
      const { profiles } = await this.#accounts.getProfiles({ userIds }, { timeoutMs })
      return profiles.flatMap(({ user }) => user ?? [])
    } catch (error) {
      throw accountsUnavailable(error)
    }
  }
}
