import { expect, test } from '@jest/globals'
import { prepareShards, renewLeases, takeLeases, type Lease } from '../src/outbox/leases.ts'
import { shardCount } from '../src/outbox/shards.ts'
import { markRelayed, readWaiting, requeue } from '../src/outbox/store.ts'
import { commit, countRelayed, countWaiting } from './_events.ts'
import { newDatabase } from './_servers.ts'

const withPreviousFence = (lease: Lease): Lease => ({ ...lease, fence: lease.fence - 1n })

test('only the current fencing token permits marking entries as relayed, requeueing them and renewing the lease', async () => {
  await using database = await newDatabase()
  const { pool } = database
  await prepareShards(pool)
  const leases = await takeLeases(pool, 'one', shardCount)
  expect(leases.map((lease) => lease.shard).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  expect(await takeLeases(pool, 'two', shardCount)).toEqual([])

  await commit(database, 'room1', [1, 2])
  const shards = [0, 1, 2, 3, 4, 5, 6, 7]
  const { entries } = await readWaiting(pool, { shards, from: 0n, inFlight: [], limit: 10 })
  const stored = entries.map((entry, index) => ({ entry, seq: index + 1 }))
  const [lease] = leases.filter((one) => one.shard === entries[0]?.shard)
  if (lease === undefined) throw new Error('no lease')

  expect(await markRelayed(pool, [withPreviousFence(lease)], stored)).toEqual(new Set())
  expect(await markRelayed(pool, [{ ...lease, holder: 'two' }], stored)).toEqual(new Set())
  expect(await countWaiting(database)).toBe(2)
  expect(await markRelayed(pool, [lease], stored)).toEqual(new Set([lease.shard]))
  expect(await countRelayed(database)).toBe(2)

  expect(await requeue(pool, withPreviousFence(lease), 10)).toBe(0)
  expect(await countRelayed(database)).toBe(2)
  expect(await requeue(pool, lease, 10)).toBe(2)
  expect(await countWaiting(database)).toBe(2)

  expect((await renewLeases(pool, 'one', [withPreviousFence(lease)])).lost).toHaveLength(1)
  expect((await renewLeases(pool, 'one', [lease])).lost).toHaveLength(0)
})

test('an expired lease can be taken, with a higher fencing token', async () => {
  await using database = await newDatabase()
  const { pool } = database
  await prepareShards(pool)
  const [first] = await takeLeases(pool, 'one', 1)
  await pool.query("update outbox_leases set expires_at = now() - interval '1 ms'")
  const taken = await takeLeases(pool, 'two', shardCount)
  expect(taken).toHaveLength(shardCount)
  expect(taken.find((lease) => lease.shard === first?.shard)?.fence).toBe((first?.fence ?? 0n) + 1n)
  expect(first && first.validUntil - performance.now()).toBeLessThanOrEqual(2500)
})
