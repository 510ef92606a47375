import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { logger } from '@parley/telemetry'
import { requestKeeper } from '../keep/requests.ts'
import { streamLost } from '../metrics.ts'
import type { Flow } from './flow.ts'
import type { Shard } from './shard.ts'
import { forgetPlace, requeue } from './store.ts'

const log = logger('relay')
const requeueAtOnce = 5000

/**
 * Recovers from a loss of the stream: recreates the durables, then makes the entries that still exist wait again,
 * oldest first: those of the last hour, and those that some durable has not passed. The shards stay marked as lost
 * until this is done, so that nothing newer is sent first. After a failure they stay lost, and another holder finds the
 * same place missing.
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
  await flow.settled()
  await restoreDurables(bus, shards)
  for (const shard of shards) {
    let entries = 0
    for (;;) {
      const count = await requeue(pool, shard.lease, requeueAtOnce)
      entries += count
      if (count < requeueAtOnce) break
    }
    await forgetPlace(pool, shard.lease)
    shard.generation++
    shard.anchor = shard.newest = shard.lost = undefined
    shard.state = 'ready'
    flow.startOver()
    streamLost()
    log.error({ service, shard: shard.lease.shard, entries }, 'the stream lost events; they are relayed again')
  }
}

/** Reports the lost place that was stored last: it shows best whether the keeper has already repaired this loss. */
async function restoreDurables(bus: Bus, shards: Shard[]): Promise<void> {
  const places = shards.flatMap(({ lost }) => lost ?? [])
  const [newest] = places.toSorted((a, b) => b.storedAt - a.storedAt)
  if (newest === undefined) return
  const { seq, eventId, storedAt } = newest
  await requestKeeper(bus, 'restore', { seq, eventId, storedMsAgo: Math.max(0, Date.now() - storedAt) })
}
