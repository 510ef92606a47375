import type { ServiceImpl } from '@connectrpc/connect'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { credentialDigest } from '@parley/credentials'
import type { AccountsInternalService, RekeyCredentialsRequest } from '@parley/contracts/internal'

/** The keys of credentials, and the previous keys before the rotation. */
export const credentialSecrets = {
  secretKey: 'the key of the digests of credentials, for tests',
  previousSecretKey: 'that key before it was rotated, for tests too',
  cookieSigningSecret: 'the secret of cookies',
  previousCookieSigningSecret: 'the secret of cookies before',
}

type Implementation = ServiceImpl<typeof AccountsInternalService>

/** A stand-in for accounts with a few credentials and their users. */
export class FakeAccounts {
  readonly #people = new Map<string, { userId: string; roleIds: string[] }>()
  readonly rekeyed: RekeyCredentialsRequest['entries'] = []
  requested = 0
  away = false
  /** Responses wait for this promise. */
  held: Promise<void> | undefined

  /** Makes a token or cookie handle of a user valid. */
  signIn(userId: string, { token, roleIds = [], key = credentialSecrets.secretKey }: SignedIn): void {
    this.#people.set(keptBy(key, token), { userId, roleIds })
  }

  signOut(token: string): void {
    this.#people.delete(keptBy(credentialSecrets.secretKey, token))
  }

  readonly authenticate: Implementation['authenticate'] = async ({ digests }) => {
    this.requested++
    await this.held
    if (this.away) throw new Error('away')
    const expiresAt = timestampFromDate(new Date(Date.now() + 1e12))
    return {
      entries: digests.flatMap((digest) => {
        const person = this.#people.get(Buffer.from(digest).toString('hex'))
        return person ? [{ digest, caller: { ...person, credentialId: 'S1', rolesVersion: 1n, expiresAt } }] : []
      }),
    }
  }

  /** Avatars by person. */
  readonly avatars = new Map<string, string>()

  readonly getPeople: Implementation['getPeople'] = ({ userIds }) => {
    this.requested++
    if (this.away) throw new Error('away')
    return { people: userIds.map((userId) => ({ userId, avatarKey: this.avatars.get(userId) ?? '' })) }
  }

  readonly rekeyCredentials: Implementation['rekeyCredentials'] = ({ entries }) => {
    this.rekeyed.push(...entries)
    return {}
  }
}

type SignedIn = { token: string; roleIds?: string[]; key?: string }

const keptBy = (key: string, token: string): string => credentialDigest(key, token).toString('hex')
