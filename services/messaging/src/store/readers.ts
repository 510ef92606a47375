import { versionOfNow } from '@parley/events'
import { versionPlaceholder, type EntryWithHoles } from '../domain/entry-holes.ts'
import { fillHoles } from './append-parts.ts'
import { statement, type Connection } from './statement.ts'

export type ReaderEntry = { userId: string; eventId: string; entry: EntryWithHoles }

/**
 * Defines a statement that changes a read marker or followed thread, raises the user's version and stores the event.
 * `changed` is an insertion or update that returns a row if something changed; otherwise nothing is stored. It must
 * select from `reader`, which is empty for a deleted account. The version is raised after the change, so that its row,
 * for which all other changes of the user wait, is locked only briefly. $1 is the user; $8 and following belong to
 * `changed`.
 */
export function defineReaderChange(name: string, changed: string) {
  const { run } = statement<{ id: bigint }>(
    name,
    `with reader as materialized (
  select where not exists (select from erasures where user_id = $1)
), changed as (
  ${changed}
), raised as (
  insert into readers (user_id, version) select $1, ${versionOfNow} from changed
  on conflict (user_id) do update set version = greatest(readers.version + 1, excluded.version)
  returning version
)
insert into outbox (shard, aggregate, subject, event_id, payload)
select $2::integer, $3, $4, $5, ${fillHoles('$6', '$7', 'version', { bytes: versionPlaceholder.bytes, count: 1 })} from raised
returning id`,
  )
  /** Returns the outbox entry; none if nothing changed. */
  return async (
    on: Connection,
    { userId, eventId, entry }: ReaderEntry,
    values: readonly unknown[],
  ): Promise<bigint[]> => {
    const { shard, aggregate, subject, payload, holes } = entry
    const rows = await run(on, [userId, shard, aggregate, subject, eventId, payload, holes, ...values])
    return rows.map(({ id }) => id)
  }
}
