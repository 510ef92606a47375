import type { ServiceImpl } from '@connectrpc/connect'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { credentialDigest } from '@parley/credentials'
import type { AccountsInternalService, RekeyCredentialsRequest } from '@parley/contracts/internal'

export const credentialSecrets = {
  secretKey: 'the key of the digests of credentials, for tests',
  previousSecretKey: 'that key before it was rotated, for tests too',
  cookieSigningSecret: 'the secret of cookies',
  previousCookieSigningSecret: 'the secret of cookies before',
}

type Implementation = ServiceImpl<typeof AccountsInternalService>

export class FakeAccounts {
  readonly #people = new Map<string, { userId: string; roleIds: string[] }>()
  readonly rekeyed: RekeyCredentialsRequest['entries'] = []
  calls = 0
  unavailable = false
  blocker: Promise<void> | undefined

  signIn(userId: string, { token, roleIds = [], key = credentialSecrets.secretKey }: Credential): void {
    this.#people.set(digestOf(key, token), { userId, roleIds })
  }

  signOut(token: string): void {
    this.#people.delete(digestOf(credentialSecrets.secretKey, token))
  }

  readonly authenticate: Implementation['authenticate'] = async ({ digests }) => {
    this.calls++
    await this.blocker
    if (this.unavailable) throw new Error('unavailable')
    const expiresAt = timestampFromDate(new Date(Date.now() + 1e12))
    return {
      entries: digests.flatMap((digest) => {
        const person = this.#people.get(Buffer.from(digest).toString('hex'))
        return person ? [{ digest, caller: { ...person, credentialId: 'S1', rolesVersion: 1n, expiresAt } }] : []
      }),
    }
  }

  readonly avatars = new Map<string, string>()

  readonly getPeople: Implementation['getPeople'] = ({ userIds }) => {
    this.calls++
    if (this.unavailable) throw new Error('unavailable')
    return { people: userIds.map((userId) => ({ userId, avatarKey: this.avatars.get(userId) ?? '' })) }
  }

  readonly rekeyCredentials: Implementation['rekeyCredentials'] = ({ entries }) => {
    this.rekeyed.push(...entries)
    return {}
  }
}

type Credential = { token: string; roleIds?: string[]; key?: string }

const digestOf = (key: string, token: string): string => credentialDigest(key, token).toString('hex')
