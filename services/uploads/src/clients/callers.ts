import type { Client } from '@connectrpc/connect'
import { CallerCache, callerFrom } from '@parley/credentials'
import type { AccountsInternalService } from '@parley/contracts/internal'

const timeoutMs = 3_000

/** Asks the service `accounts` at each look-up, because this process gets no events about ended sessions. */
export const callersAt = (accounts: Client<typeof AccountsInternalService>, now: () => Date): CallerCache =>
  new CallerCache({
    authenticate: async (digest) => {
      const { entries } = await accounts.authenticate({ digests: [digest] }, { timeoutMs })
      const caller = entries[0]?.caller
      return caller && callerFrom(caller)
    },
    rekey: (entry) => accounts.rekeyCredentials({ entries: [entry] }, { timeoutMs }),
    now: () => now().getTime(),
    cachesCallers: false,
  })
