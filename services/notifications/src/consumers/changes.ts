import type { Tx } from '@parley/postgres'
import { dismissBatchAndQueueRest, shardsOfDismissals } from '../actions/dismissal/dismiss-batch.ts'
import type { Dismissal, AudienceJob } from '../domain/work.ts'
import { shardsOf } from '../domain/shards.ts'
import { insertJobs } from '../store/jobs.ts'
import { moveMarkers, type ReadMarker } from '../store/read-markers.ts'
import { lockShards } from '../store/shards.ts'
import { recordDepartures, type Departure } from '../store/tombstones.ts'
import { createNotifications, type NotificationDraft } from '../actions/notify/create-notifications.ts'

export type Change = {
  draft?: NotificationDraft
  job?: AudienceJob
  /** Messages up to and including that of the marker do not notify the user. */
  read?: ReadMarker
  /** A user who lost access to a room and is not notified of earlier messages in it. */
  left?: Departure
  dismissal?: Dismissal
}

/**
 * The result is the same as if each event were handled separately. So notifications are created first; then read markers
 * and departures dismiss them. Of a reply and its echo, the one handled first notifies a person, and the other does not.
 * Returns the outbox entries.
 */
export async function applyChanges(tx: Tx, changes: readonly Change[], at: Date): Promise<bigint[]> {
  const valuesOf = <K extends keyof Change>(what: K) => changes.flatMap(({ [what]: value }) => (value ? [value] : []))
  const [drafts, read, left] = [valuesOf('draft'), valuesOf('read'), valuesOf('left')]
  const dismissals: Dismissal[] = [...left.map(toDismissal), ...valuesOf('dismissal')]
  const people = [...drafts.flatMap(({ recipients }) => recipients), ...read].map(({ userId }) => userId)
  await lockShards(tx, [...new Set([...shardsOf(people), ...shardsOfDismissals(dismissals)])])
  const entries = await createNotifications(tx, drafts, at)
  await recordDepartures(tx, left)
  dismissals.push(...(await moveMarkers(tx, read)).map(toDismissal))
  entries.push(...(await dismissBatchAndQueueRest(tx, dismissals, at)))
  await insertJobs(tx, valuesOf('job'))
  return entries
}

const toDismissal = <P extends Omit<Departure, 'at'>>(place: P) => ({
  ...{ of: 'place' as const, ...place, roomSeq: String(place.roomSeq) },
})
