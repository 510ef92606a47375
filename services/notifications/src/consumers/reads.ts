import type { EventHandler } from '@parley/events'
import type { Context } from '../context.ts'
import { readOn } from '../dismiss/read-on.ts'
import { shardsOf } from '../domain/shards.ts'
import { holdShards } from '../store/shards.ts'

/** What somebody has read is dismissed, and will not be told if it comes later. */
export const onRead =
  (ctx: Context): EventHandler =>
  async ({ aggregateId: userId, fact }, tx) => {
    if (fact.case !== 'read') return undefined
    const { roomId, threadRootEventId, upToRoomSeq: roomSeq } = fact.value
    await holdShards(tx, shardsOf([userId]))
    const entries = await readOn(tx, { userId, roomId, threadRootEventId, roomSeq }, ctx.now())
    return () => ctx.relay.wake(entries)
  }
