import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import { and, asc, eq, inArray, isNotNull, notInArray, sql } from 'drizzle-orm'
import type { AccountsParkedEventsService } from '@parley/contracts/internal'
import type { Db } from '@parley/postgres'
import { parkedEvents as table } from '../schema.ts'
import { replaysRequested } from './replay.ts'

const most = 500
/** What no durable handles. */
const notReplayable = ['relay', 'handover', 'jobs']

/** What every service with a database answers an operator about its parked events. */
export function parkedEvents(db: Db): ServiceImpl<typeof AccountsParkedEventsService> {
  return {
    async listParkedEvents({ after, limit }) {
      const further = after && sql`(${table.consumer}, ${table.eventId}) > (${after.consumer}, ${after.eventId})`
      const rows = await db
        .select()
        .from(table)
        .where(and(isNotNull(table.parkedAt), further))
        .orderBy(asc(table.consumer), asc(table.eventId))
        .limit(limit === 0 ? most : Math.min(limit, most))
      return {
        events: rows.map(({ consumer, eventId, subject, attempts, lastError, parkedAt, replayRequestedAt }) => ({
          ...{ key: { consumer, eventId }, subject, attempts, lastError },
          ...(parkedAt && { parkedAt: timestampFromDate(parkedAt) }),
          replayable: !notReplayable.includes(consumer),
          replayRequested: replayRequestedAt !== null,
        })),
      }
    },
    async replayParkedEvents({ consumer, eventIds }) {
      if (eventIds.length > most) throw new ConnectError(`at most ${most} events at once`, Code.InvalidArgument)
      const requested = await db.transaction(async (tx) => {
        replaysRequested.tell(tx)
        return await tx
          .update(table)
          .set({ replayRequestedAt: sql`now()` })
          .where(
            and(
              isNotNull(table.parkedAt),
              notInArray(table.consumer, notReplayable),
              consumer === '' ? undefined : eq(table.consumer, consumer),
              eventIds.length === 0 ? undefined : inArray(table.eventId, eventIds),
            ),
          )
      })
      return { requested: requested.rowCount ?? 0 }
    },
  }
}
