import type { Tx } from '@parley/postgres'
import { moveMarker, type Place } from '../store/read-markers.ts'
import { dismissSoon } from './dismiss-some.ts'

/** A user, whose shard is held, has read up to a place of a main timeline or thread: what stands there is no news. */
export async function readOn(tx: Tx, place: Place, at: Date): Promise<bigint[]> {
  if (!(await moveMarker(tx, place, at))) return []
  return dismissSoon(tx, { of: 'place', ...place, roomSeq: String(place.roomSeq) }, at)
}
