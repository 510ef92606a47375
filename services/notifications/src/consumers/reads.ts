import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { BatchHandler } from '@parley/events'
import type { Context } from '../context.ts'
import { applyChanges } from './changes.ts'

/** Dismisses notifications of read messages, and prevents those of read messages whose events arrive later. */
export const onReads =
  (ctx: Context): BatchHandler =>
  async (events, tx) => {
    const changes = events.flatMap(({ aggregateId: userId, occurredAt, fact }) => {
      if (fact.case !== 'read') return []
      const { roomId, threadRootEventId, upToRoomSeq: roomSeq } = fact.value
      const at = occurredAt ? timestampDate(occurredAt) : ctx.now()
      return [{ read: { userId, roomId, threadRootEventId, roomSeq, at } }]
    })
    const entries = await applyChanges(tx, changes, ctx.now())
    return () => ctx.relay.wake(entries)
  }
