import type { Client } from '@connectrpc/connect'
import type { User } from '@parley/contracts/api'
import type { AccountsInternalService, Profile } from '@parley/contracts/internal'
import { accountsUnavailable } from '../errors.ts'

const timeoutMs = 3_000
const idsPerCall = 500

export class Profiles {
  readonly #accounts: Client<typeof AccountsInternalService>

  constructor(accounts: Client<typeof AccountsInternalService>) {
    this.#accounts = accounts
  }

  async get(userIds: readonly string[]): Promise<Map<string, User>> {
    const users = (await this.#fetch(userIds)).flatMap(({ user }) => user ?? [])
    return new Map(users.map((user) => [user.id, user]))
  }

  async findDeactivated(userIds: readonly string[]): Promise<string[]> {
    return (await this.#fetch(userIds)).flatMap(({ user, deactivated }) => (user && deactivated ? user.id : []))
  }

  async #fetch(userIds: readonly string[]): Promise<Profile[]> {
    const wanted = [...new Set(userIds)]
    const found: Profile[] = []
    try {
      for (let start = 0; start < wanted.length; start += idsPerCall) {
        const request = { userIds: wanted.slice(start, start + idsPerCall) }
        found.push(...(await this.#accounts.getProfiles(request, { timeoutMs })).profiles)
      }
    } catch (error) {
      throw accountsUnavailable(error)
    }
    return found
  }
}
