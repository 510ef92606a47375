import type { Tally } from '../domain/tally.ts'
import type { Placed } from './edits.ts'
import { statement, type Connection } from './statement.ts'

/** How many users a tally names. */
const named = 5

/** $1 room, $2 place of the message, $3 emoji, $4 user. $5 time, $6 place of the reaction. */
const add = statement(
  'add_reaction',
  `with added as (
  insert into reactions (room_id, seq, emoji, user_id, created_at) values ($1, $2, $3, $4, $5)
  on conflict do nothing
  returning 1
)
insert into reaction_tallies as t (room_id, seq, emoji, count, first_user_ids, since)
select $1, $2, $3, 1, array[$4::text], $6 from added
on conflict (room_id, seq, emoji) do update
set count = t.count + 1,
    first_user_ids = case when cardinality(t.first_user_ids) < ${named}
      then t.first_user_ids || excluded.first_user_ids else t.first_user_ids end`,
)

/** If a named user is removed, the next one who reacted is named instead. */
const remove = statement(
  'remove_reaction',
  `with removed as (
  delete from reactions where room_id = $1 and seq = $2 and emoji = $3 and user_id = $4 returning 1
), emptied as (
  delete from reaction_tallies t using removed
  where t.room_id = $1 and t.seq = $2 and t.emoji = $3 and t.count = 1
)
update reaction_tallies t
set count = t.count - 1,
    first_user_ids = case when $4 = any (t.first_user_ids) then array_remove(t.first_user_ids, $4) || array(
      select r.user_id from reactions r
      where r.room_id = $1 and r.seq = $2 and r.emoji = $3 and r.user_id <> $4 and r.user_id <> all (t.first_user_ids)
      order by r.created_at, r.user_id limit 1
    ) else t.first_user_ids end
from removed
where t.room_id = $1 and t.seq = $2 and t.emoji = $3 and t.count > 1`,
)

const read = statement<Tally>(
  'read_tally',
  `select t.emoji, t.count, t.first_user_ids as "firstUserIds",
  exists (
    select from reactions r where r.room_id = t.room_id and r.seq = t.seq and r.emoji = t.emoji and r.user_id = $4
  ) as mine
from reaction_tallies t
where t.room_id = $1 and t.seq = $2 and t.emoji = $3`,
)

export type Reaction = Placed & { emoji: string; userId: string }

const parameters = ({ roomId, seq, emoji, userId }: Reaction) => [roomId, seq, emoji, userId]

/** Call with the log locked; `place` is the reaction's place in it. */
export async function addReaction(on: Connection, reaction: Reaction, at: Date, place: bigint): Promise<void> {
  await add.run(on, [...parameters(reaction), at, place])
}

/** The log must be locked. */
export async function removeReaction(on: Connection, reaction: Reaction): Promise<void> {
  await remove.run(on, parameters(reaction))
}

/** All reactions with that emoji, as the user sees them; undefined when there are none. */
export async function findTally(on: Connection, reaction: Reaction): Promise<Tally | undefined> {
  const [row] = await read.run(on, parameters(reaction))
  return row
}
