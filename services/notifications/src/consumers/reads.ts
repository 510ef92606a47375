import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { BatchHandler } from '@parley/events'
import type { Context } from '../context.ts'
import { applyChanges } from './changes.ts'

/** Dismisses notifications of messages that a user has read. Read messages whose event arrives later cause none. */
export const onReads =
  (ctx: Context): BatchHandler =>
  async (events, tx) => {
    const read = events.flatMap(({ aggregateId: userId, occurredAt, fact }) => {
      if (fact.case !== 'read') return []
      const { roomId, threadRootEventId, upToRoomSeq: roomSeq } = fact.value
      const at = occurredAt ? timestampDate(occurredAt) : ctx.now()
      return [{ read: { userId, roomId, threadRootEventId, roomSeq, at } }]
    })
    const entries = await applyChanges(tx, read, ctx.now())
    return () => ctx.relay.wake(entries)
  }
