import type { Tx } from '@parley/postgres'
import { dismissSoon, shardsOfDismissals } from '../actions/dismissal/dismiss-some.ts'
import type { Dismissal, ManyToTell } from '../domain/many.ts'
import { shardsOf } from '../domain/shards.ts'
import { insertJobs } from '../store/jobs.ts'
import { moveMarkers, type Place } from '../store/read-markers.ts'
import { holdShards } from '../store/shards.ts'
import { noteDepartures, type Departure } from '../store/tombstones.ts'
import { tell, type Telling } from '../actions/notify/tell.ts'

/** What an event changes for those who are told. */
export type Change = {
  /** Whom to tell of what, and what is left to a job. */
  telling?: Telling
  job?: ManyToTell
  /** Up to where somebody has read: what stands there is no news. */
  read?: Place
  /** Who is told no more of what was said in a room before. */
  left?: Departure
  /** What is shown no longer. */
  dismissal?: Dismissal
}

/**
 * Makes what events change true, all in one; answers the entries of what is told. Whoever has read a message, or lost its
 * room, was told first, as if each event were handled alone: of a reply and its echo only the one told first counts.
 */
export async function applyChanges(tx: Tx, changes: readonly Change[], at: Date): Promise<bigint[]> {
  const those = <K extends keyof Change>(what: K) => changes.flatMap(({ [what]: value }) => (value ? [value] : []))
  const [tellings, read, left] = [those('telling'), those('read'), those('left')]
  const dismissals: Dismissal[] = [...left.map(placeOf), ...those('dismissal')]
  const people = [...tellings.flatMap(({ recipients }) => recipients), ...read].map(({ userId }) => userId)
  await holdShards(tx, [...new Set([...shardsOf(people), ...shardsOfDismissals(dismissals)])])
  const entries = await tell(tx, tellings, at)
  await noteDepartures(tx, left)
  dismissals.push(...(await moveMarkers(tx, read)).map(placeOf))
  entries.push(...(await dismissSoon(tx, dismissals, at)))
  await insertJobs(tx, those('job'))
  return entries
}

const placeOf = <P extends Omit<Departure, 'at'>>(place: P) => ({
  ...{ of: 'place' as const, ...place, roomSeq: String(place.roomSeq) },
})
