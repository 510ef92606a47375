import type { Client } from '@connectrpc/connect'
import { callerFrom, type Caller } from '@parley/credentials'
import type { AccountsInternalService } from '@parley/contracts/internal'

/** Calls to accounts. */
export type Accounts = {
  /** Returns the callers whose credentials are valid. Keys are the digests of the credentials, in hex. */
  findCallers: (digests: Buffer[]) => Promise<Map<string, Caller>>
  /** Returns the ids of the credentials that are valid. */
  findValid: (credentialIds: string[]) => Promise<Set<string>>
  /** Replaces the digests of credentials under the previous secret key by those under the current one. */
  rekey: (entries: { previous: Buffer; digest: Buffer }[]) => Promise<unknown>
}

export function accountsClient(client: Client<typeof AccountsInternalService>): Accounts {
  return {
    async findCallers(digests) {
      const { entries } = await client.openSockets({ digests })
      const callers = new Map<string, Caller>()
      for (const { digest, caller: message } of entries) {
        const caller = message && callerFrom(message)
        if (caller) callers.set(Buffer.from(digest).toString('hex'), caller)
      }
      return callers
    },
    async findValid(credentialIds) {
      return new Set((await client.checkCredentials({ credentialIds })).credentialIds)
    },
    rekey: (entries) => client.rekeyCredentials({ entries }),
  }
}
