import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { logger } from '@parley/telemetry'
import { requestKeeper } from '../keep/requests.ts'
import { countStreamLoss } from '../metrics.ts'
import type { Flow } from './flow.ts'
import type { Shard } from './shard.ts'
import { clearPosition, requeue } from './store.ts'

const log = logger('relay')
const requeueAtOnce = 5000

/**
 * Recreates the durables, then requeues all entries still in the outbox, oldest first. Until then the shards keep the
 * state `recovering`, also after a failure, so that nothing newer is sent first. The recorded position is cleared last:
 * if another process takes the leases meanwhile, it finds that the stream lacks the position, and recovers too.
 */
export async function recoverShards(options: {
  pool: Database['pool']
  bus: Bus
  service: string
  flow: Flow
  shards: Shard[]
}): Promise<void> {
  const { pool, bus, service, flow, shards } = options
  for (const shard of shards) shard.clear()
  await flow.waitUntilSettled()
  await restoreDurables(bus, shards)
  for (const shard of shards) {
    let entries = 0
    for (;;) {
      const count = await requeue(pool, shard.lease, requeueAtOnce)
      entries += count
      if (count < requeueAtOnce) break
    }
    await clearPosition(pool, shard.lease)
    shard.generation++
    shard.anchor = shard.newest = shard.lost = undefined
    shard.state = 'ready'
    flow.resetWatermark()
    countStreamLoss()
    log.error({ service, shard: shard.lease.shard, entries }, 'the stream lost events; they are relayed again')
  }
}

/**
 * Reports the lost event that was stored last: its age shows best whether the keeper has already repaired this loss.
 */
async function restoreDurables(bus: Bus, shards: Shard[]): Promise<void> {
  const positions = shards.flatMap(({ lost }) => lost ?? [])
  const [newest] = positions.toSorted((a, b) => b.storedAt - a.storedAt)
  if (newest === undefined) return
  const { seq, eventId, storedAt } = newest
  await requestKeeper(bus, 'restore', { seq, eventId, storedMsAgo: Math.max(0, Date.now() - storedAt) })
}
