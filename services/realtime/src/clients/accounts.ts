import type { Client } from '@connectrpc/connect'
import { callerFrom, type Caller } from '@parley/auth'
import type { AccountsInternalService } from '@parley/contracts/internal'

/** What realtime asks accounts. Callers are keyed by the digest in hex; invalid digests are missing. */
export type Accounts = {
  openSockets: (digests: Buffer[]) => Promise<Map<string, Caller>>
  stillValid: (digests: Buffer[]) => Promise<Set<string>>
}

export function accountsClient(client: Client<typeof AccountsInternalService>): Accounts {
  return {
    async openSockets(digests) {
      const { entries } = await client.openSockets({ digests })
      const callers = new Map<string, Caller>()
      for (const { digest, caller: message } of entries) {
        const caller = message && callerFrom(message)
        if (caller) callers.set(Buffer.from(digest).toString('hex'), caller)
      }
      return callers
    },
    async stillValid(digests) {
      const { entries } = await client.authenticate({ digests })
      return new Set(entries.map(({ digest }) => Buffer.from(digest).toString('hex')))
    },
  }
}
