import type { Client } from '@connectrpc/connect'
import type { AdminInternalService } from '@parley/contracts/internal'
import { withoutServerName } from '../metrics.ts'

const cacheTtlMs = 60_000
const fallback = 'Parley'

/**
 * Returns a function for the name of the server, cached for a minute. While admin is unavailable, the last name is
 * used.
 */
export function serverNames(admin: Client<typeof AdminInternalService>): () => Promise<string> {
  let name = fallback
  let fetchedAt = -Infinity
  return async () => {
    if (performance.now() - fetchedAt < cacheTtlMs) return name
    try {
      name = (await admin.getServerName({}, { timeoutMs: 1_500 })).name || fallback
      fetchedAt = performance.now()
    } catch (error) {
      withoutServerName(error)
    }
    return name
  }
}
