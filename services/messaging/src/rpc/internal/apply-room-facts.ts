import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingInternalService, WantedStandings } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { countFacts } from '../../metrics.ts'
import { findHeldRoom } from '../../store/standings.ts'

export function applyRoomFacts(ctx: Context): MethodImpl<typeof MessagingInternalService.method.applyRoomFacts> {
  return async ({ roomId, facts, awaitStream, standings }, { signal }) => {
    const outcome = await ctx.writer.submit(roomId, { kind: 'facts', facts, signal })
    if (outcome.kind === 'refused') throw outcome.error
    const { room, applied, lastEntry } = outcome
    countFacts(applied)
    // Entries of a room reach the stream in order, so the last one suffices. A repeated call waits, too: the call that
    // applied its facts may have ended before their events were on the stream.
    if (awaitStream && room) await ctx.relay.waitUntilStored([lastEntry])
    if (standings) return await responseWithStandings(ctx, roomId, standings)
    return { heldVersion: room?.version ?? 0n, heldEventId: room?.factId ?? '' }
  }
}

async function responseWithStandings(ctx: Context, roomId: string, { aboveVersion, afterUserId }: WantedStandings) {
  const held = await findHeldRoom(ctx.db, { roomId, aboveVersion, afterUserId })
  if (!held) return {}
  const { version, factId, name, groupId, universal, archived } = held.room
  const standings = held.standings.map(({ expiresAt, ...standing }) => ({
    ...standing,
    ...(expiresAt && { banExpiresAt: timestampFromDate(expiresAt) }),
  }))
  return { heldVersion: version, heldEventId: factId, room: { name, groupId, universal, archived, standings } }
}
