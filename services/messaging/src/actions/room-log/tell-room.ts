import type { RoomEvent, VideoState } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { roomNotFound } from '../../errors.ts'
import { findHeard, findLine, storeHeard, storeVideos, type Teller } from '../../store/room-events.ts'
import type { HeldLog } from '../../store/held-log.ts'
import type { Connection } from '../../store/statement.ts'
import { toRoomEvent } from '../../view/room-event.ts'

/**
 * Gives what others tell of a room its places in the line, and keeps what it says of videos. What was heard before is
 * dropped. Answers how much was new.
 */
export async function tellRoom(
  ctx: Pick<Context, 'writer' | 'now'>,
  roomId: string,
  events: readonly RoomEvent[],
  signal: AbortSignal,
): Promise<number> {
  const change = async ({ on, ahead }: HeldLog) => {
    const room = await findLine(on, roomId)
    if (!room) throw roomNotFound()
    const fresh = await unheard(on, roomId, events)
    if (fresh.length === 0) return []
    await storeHeard(on, roomId, [...lastOfEach(fresh).values()])
    await storeVideos(on, roomId, videosIn(fresh))
    const next = room.roomSeq + ahead + 1n
    return fresh.map((event, n) => toRoomEvent(room, next + BigInt(n), event, ctx.now()))
  }
  const outcome = await ctx.writer.submit(roomId, { kind: 'change', change, signal })
  if (outcome.kind === 'refused') throw outcome.error
  return outcome.places
}

const keyOf = ({ aggregateType, aggregateId }: Teller): string => `${aggregateType} ${aggregateId}`

/** Of each teller the versions above the one held, and above those before them. */
async function unheard(on: Connection, roomId: string, events: readonly RoomEvent[]): Promise<RoomEvent[]> {
  const tellers = [...lastOfEach(events).values()]
  const held = new Map((await findHeard(on, roomId, tellers)).map((heard) => [keyOf(heard), heard.version]))
  return events.filter((event) => {
    const key = keyOf(event)
    if (event.version <= (held.get(key) ?? 0n)) return false
    held.set(key, event.version)
    return true
  })
}

const lastOfEach = (events: readonly RoomEvent[]): Map<string, RoomEvent> =>
  new Map(events.map((event) => [keyOf(event), event]))

function videosIn(events: readonly RoomEvent[]): Map<string, VideoState> {
  const videos = new Map<string, VideoState>()
  for (const { fact } of events) {
    if (fact.case === 'assetProcessing' && fact.value.video) videos.set(fact.value.assetId, fact.value.video)
  }
  return videos
}
