import type { RoomEvent, VideoState } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { roomNotFound } from '../../errors.ts'
import {
  findHeldVersions,
  findLog,
  storeHeldVersions,
  storeVideoStates,
  type HeldVersions,
  type SourceAggregate,
} from '../../store/room-events.ts'
import type { LockedLog } from '../../store/locked-log.ts'
import type { Connection } from '../../store/statement.ts'
import { toRoomEvent } from '../../view/room-event.ts'

/** Returns the number of new events. */
export async function appendServiceEvents(
  ctx: Pick<Context, 'writer' | 'now'>,
  roomId: string,
  events: readonly RoomEvent[],
  signal: AbortSignal,
): Promise<number> {
  const change = async ({ on, pendingPlaces }: LockedLog) => {
    const room = await findLog(on, roomId)
    if (!room) throw roomNotFound()
    const { fresh, versions } = await dropDuplicates(on, roomId, events)
    if (fresh.length === 0) return []
    await storeHeldVersions(on, roomId, versions)
    await storeVideoStates(on, roomId, videosIn(fresh))
    const next = room.roomSeq + pendingPlaces + 1n
    return fresh.map((event, n) => toRoomEvent(room, next + BigInt(n), event, ctx.now()))
  }
  const outcome = await ctx.writer.submit(roomId, { kind: 'change', change, signal })
  if (outcome.kind === 'refused') throw outcome.error
  return outcome.places
}

const keyOf = ({ aggregateType, aggregateId }: SourceAggregate): string => `${aggregateType} ${aggregateId}`

/** An event with a version below the stored one may be new: the database of its service may have been restored. */
async function dropDuplicates(on: Connection, roomId: string, events: readonly RoomEvent[]) {
  const stored = await findHeldVersions(on, roomId, [...new Map(events.map((event) => [keyOf(event), event])).values()])
  const held = new Map(stored.map((versions) => [keyOf(versions), versions]))
  const changed = new Map<string, HeldVersions>()
  const fresh = events.filter((event) => {
    const { aggregateType, aggregateId, version } = event
    const key = keyOf(event)
    const before = changed.get(key) ?? held.get(key)
    if (before && isDuplicate(event, before)) return false
    changed.set(key, { aggregateType, aggregateId, version, recent: [...(before?.recent ?? []), `${version}`] })
    return true
  })
  return { fresh, versions: [...changed.values()] }
}

function isDuplicate({ version }: RoomEvent, { recent, version: held }: HeldVersions): boolean {
  // An earlier release stored only the last version.
  if (recent.at(-1) !== `${held}`) return version <= held
  // Only the first event of an aggregate has version 1: after other versions it is a late duplicate.
  return version === 1n || recent.includes(`${version}`)
}

function videosIn(events: readonly RoomEvent[]): Map<string, VideoState> {
  const videos = new Map<string, VideoState>()
  for (const { fact } of events) {
    if (fact.case === 'assetProcessing' && fact.value.video) videos.set(fact.value.assetId, fact.value.video)
  }
  return videos
}
