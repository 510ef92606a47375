import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import { and, asc, eq, inArray, isNotNull, notInArray, sql } from 'drizzle-orm'
import type { AccountsParkedEventsService } from '@parley/contracts/internal'
import type { Db } from '@parley/postgres'
import { parkedEvents as table } from '../schema.ts'
import { replaysRequested } from './replay.ts'
import { requeueForMessaging, requeueForStream, requeueParked, type Requeue } from './requeue.ts'

const maxPerCall = 500

/**
 * Serves an operator's calls about parked events. `requeues`: how to retry the entries that the service has parked
 * without a durable, by consumer name. Those of the relay and the hand-over are built in.
 */
export function parkedEventsService(
  db: Db,
  requeues: Readonly<Record<string, Requeue>> = {},
): ServiceImpl<typeof AccountsParkedEventsService> {
  const requeueing = new Map(Object.entries({ relay: requeueForStream, handover: requeueForMessaging, ...requeues }))
  return {
    async listParkedEvents({ after, limit }) {
      const afterCursor = after && sql`(${table.consumer}, ${table.eventId}) > (${after.consumer}, ${after.eventId})`
      const rows = await db
        .select()
        .from(table)
        .where(and(isNotNull(table.parkedAt), afterCursor))
        .orderBy(asc(table.consumer), asc(table.eventId))
        .limit(limit === 0 ? maxPerCall : Math.min(limit, maxPerCall))
      return {
        events: rows.map(({ consumer, eventId, subject, attempts, lastError, parkedAt, replayRequestedAt }) => ({
          ...{ key: { consumer, eventId }, subject, attempts, lastError },
          ...(parkedAt && { parkedAt: timestampFromDate(parkedAt) }),
          replayRequested: replayRequestedAt !== null,
        })),
      }
    },
    async replayParkedEvents({ consumer, eventIds }) {
      if (eventIds.length > maxPerCall)
        throw new ConnectError(`at most ${maxPerCall} events at once`, Code.InvalidArgument)
      const selected = and(
        consumer === '' ? undefined : eq(table.consumer, consumer),
        eventIds.length === 0 ? undefined : inArray(table.eventId, eventIds),
      )
      const requested = await db.transaction(async (tx) => {
        replaysRequested.notify(tx)
        return await tx
          .update(table)
          .set({ replayRequestedAt: sql`now()` })
          .where(and(isNotNull(table.parkedAt), notInArray(table.consumer, [...requeueing.keys()]), selected))
      })
      return { requested: (requested.rowCount ?? 0) + (await requeueParked(db, requeueing, selected)) }
    },
  }
}
