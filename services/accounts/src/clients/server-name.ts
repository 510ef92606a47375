import type { Client } from '@connectrpc/connect'
import type { AdminInternalService } from '@parley/contracts/internal'
import { withoutServerName } from '../metrics.ts'

const keepMs = 60_000
const fallback = 'Parley'

/** The name of the server, fetched once a minute. While admin is unavailable the last name is used. */
export function serverNames(admin: Client<typeof AdminInternalService>): () => Promise<string> {
  let name = fallback
  let askedAt = -Infinity
  return async () => {
    if (performance.now() - askedAt < keepMs) return name
    try {
      name = (await admin.getServerName({}, { timeoutMs: 1_500 })).name || fallback
      askedAt = performance.now()
    } catch (error) {
      withoutServerName(error)
    }
    return name
  }
}
