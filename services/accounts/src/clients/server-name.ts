import type { Client } from '@connectrpc/connect'
import type { AdminInternalService } from '@parley/contracts/internal'
import { logServerNameFailure } from '../metrics.ts'

const cacheTtlMs = 60_000
const fallback = 'Parley'

/** Caches the name for a minute. While the service `admin` is unavailable, returns the name read last, or "Parley". */
export function createServerNameReader(admin: Client<typeof AdminInternalService>): () => Promise<string> {
  let name = fallback
  let fetchedAt = -Infinity
  return async () => {
    if (performance.now() - fetchedAt < cacheTtlMs) return name
    try {
      name = (await admin.getServerName({}, { timeoutMs: 1_500 })).name || fallback
      fetchedAt = performance.now()
    } catch (error) {
      logServerNameFailure(error)
    }
    return name
  }
}
