import type { Client } from '@connectrpc/connect'
import { CallerCache, callerFrom } from '@parley/credentials'
import type { AccountsInternalService } from '@parley/contracts/internal'
import { followControl } from '@parley/events'
import type { Host } from '@parley/service'
import type { Metrics } from '../../metrics.ts'

type Accounts = Client<typeof AccountsInternalService>

export async function followCallers(host: Host, accounts: Accounts, metrics: Metrics): Promise<CallerCache> {
  const callers = new CallerCache({
    authenticate: async (digest) => {
      const { entries } = await accounts.authenticate({ digests: [digest] })
      const caller = entries[0]?.caller
      return caller && callerFrom(caller)
    },
    rekey: (entry) => accounts.rekeyCredentials({ entries: [entry] }),
    feedIdleMs: () => feed.healthyAgoMs(),
  })
  const feed = host.use(
    await followControl({
      ...{ bus: host.events, signal: host.signal },
      onEvent: (event) => callers.observe(event),
      onReset: () => {
        metrics.reportLostFeed()
        callers.clear()
      },
    }),
  )
  host.ready('control feed')
  return callers
}
