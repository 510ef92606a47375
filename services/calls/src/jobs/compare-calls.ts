import { periodically } from '@parley/runtime'
import { compareCall } from '../actions/calls/compare-call.ts'
import { endCalls } from '../actions/calls/end-calls.ts'
import type { Context, Media } from '../context.ts'
import { maxFailedListings } from '../domain/limits.ts'
import { readMediaRoomName } from '../domain/media-room.ts'
import { reportComparisonFailure, reportListingsFailed, reportMediaFailure } from '../metrics.ts'
import { findCall, listActiveCalls, type CallRow } from '../store/calls.ts'
import { recordRun, claimRun } from '../store/turns.ts'

const task = 'compare calls'
const callsPerPage = 100
const callsAtOnce = 8

/** After every `everyMs`, one process starts to compare the calls. */
export function compareCalls(
  ctx: Context,
  media: Media,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncDisposable {
  return periodically({
    name: task,
    // Shorter than the period, so that a due run starts soon.
    everyMs: everyMs / 6,
    signal,
    run: async (stop) => {
      const now = ctx.now()
      if (!(await claimRun(ctx.db, task, now, new Date(now.getTime() + everyMs)))) return
      const names = await listRooms(media)
      const failures = await recordRun(ctx.db, task, names !== undefined)
      if (names) {
        await closeRoomsOfEndedCalls(ctx, media, names, stop)
        return compareAll(ctx, media, stop)
      }
      if (failures < maxFailedListings) return
      reportListingsFailed()
      await endCalls(ctx, stop)
    },
  })
}

async function listRooms({ server }: Media): Promise<string[] | undefined> {
  try {
    return await server.listRooms()
  } catch (error) {
    reportMediaFailure(error, 'list rooms')
    return undefined
  }
}

async function compareAll(ctx: Context, media: Media, signal: AbortSignal): Promise<void> {
  let after: string | undefined = ''
  while (after !== undefined) {
    const rows = await listActiveCalls(ctx.db, after, callsPerPage)
    for (let start = 0; start < rows.length; start += callsAtOnce) {
      signal.throwIfAborted()
      const batch = rows.slice(start, start + callsAtOnce)
      const compare = (row: CallRow) =>
        compareCall(ctx, media, row, 'reconciliation').catch((error: unknown) => reportComparisonFailure(error, row.id))
      await Promise.all(batch.map(compare))
    }
    after = rows.length < callsPerPage ? undefined : rows.at(-1)?.roomId
  }
}

/** Rooms of unknown calls are kept: they may belong to another server. */
async function closeRoomsOfEndedCalls(ctx: Context, media: Media, names: readonly string[], signal: AbortSignal) {
  for (const name of names) {
    signal.throwIfAborted()
    const named = readMediaRoomName(name)
    if (!named || named.serverId !== media.settings.serverId) continue
    const call = await findCall(ctx.db, named.callId)
    if (!call || call.endedAt === null || call.roomId !== named.roomId) continue
    await media.server.deleteRoom(name).catch((error: unknown) => reportMediaFailure(error, 'close a room'))
  }
}
