import type { ServiceImpl } from '@connectrpc/connect'
import type { AdminEventLogService } from '@parley/contracts/admin'
import type { Context } from '../../context.ts'
import { getEvent } from './get-event.ts'
import { listEventTypes } from './list-event-types.ts'
import { listEvents } from './list-events.ts'

export const adminEventLog = (ctx: Context) =>
  ({
    listEvents: listEvents(ctx),
    listEventTypes: listEventTypes(ctx),
    getEvent: getEvent(ctx),
  }) satisfies ServiceImpl<typeof AdminEventLogService>
