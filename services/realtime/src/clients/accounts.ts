import type { Client } from '@connectrpc/connect'
import { callerFrom, type Caller } from '@parley/credentials'
import type { AccountsInternalService } from '@parley/contracts/internal'

export type Accounts = {
  /** Keys are the digests of valid credentials, in hex. */
  findCallers: (digests: Buffer[]) => Promise<Map<string, Caller>>
  findValid: (credentialIds: string[]) => Promise<Set<string>>
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
