import type { Tally } from '../domain/tally.ts'
import type { Placed } from './edits.ts'
import { statement, type Connection } from './statement.ts'
import { changeOfUnchangedRoom, type DecidedAt } from './unchanged-room.ts'

/** How many users a tally names. */
const named = 5

/** SQL expressions of a reaction: the place of its message, its emoji, its user; its time and its own place. */
type Parameters = { seq: string; emoji: string; user: string; at: string; place: string }

/** The CTE `added`, from `source`, and the insertion or update of the tally, with room $1. */
const adding = ({ seq, emoji, user, at, place }: Parameters, source: string) => ({
  added: `added as (
  insert into reactions (room_id, seq, emoji, user_id, created_at) select $1, ${seq}, ${emoji}, ${user}, ${at}${source}
  on conflict do nothing
  returning 1
)`,
  tally: `insert into reaction_tallies as t (room_id, seq, emoji, count, first_user_ids, since)
select $1, ${seq}, ${emoji}, 1, array[${user}], ${place} from added
on conflict (room_id, seq, emoji) do update
set count = t.count + 1,
    first_user_ids = case when cardinality(t.first_user_ids) < ${named}
      then t.first_user_ids || excluded.first_user_ids else t.first_user_ids end
returning t.emoji, t.count, t.first_user_ids as "firstUserIds"`,
})

/** The CTEs `removed` and `emptied`. If a named user is removed, the next one who reacted is named instead. */
const removing = ({ seq, emoji, user }: Parameters, source: string) => ({
  removed: `removed as (
  delete from reactions r${source} where r.room_id = $1 and r.seq = ${seq} and r.emoji = ${emoji} and r.user_id = ${user}
  returning 1
), emptied as (
  delete from reaction_tallies t using removed
  where t.room_id = $1 and t.seq = ${seq} and t.emoji = ${emoji} and t.count = 1
)`,
  tally: `update reaction_tallies t
set count = t.count - 1,
    first_user_ids = case when ${user} = any (t.first_user_ids) then array_remove(t.first_user_ids, ${user}) || array(
      select r.user_id from reactions r
      where r.room_id = $1 and r.seq = ${seq} and r.emoji = ${emoji} and r.user_id <> ${user}
        and r.user_id <> all (t.first_user_ids)
      order by r.created_at, r.user_id limit 1
    ) else t.first_user_ids end
from removed
where t.room_id = $1 and t.seq = ${seq} and t.emoji = ${emoji} and t.count > 1
returning t.emoji, t.count, t.first_user_ids as "firstUserIds"`,
})

type Named = Omit<Tally, 'mine'>

const underLock = { seq: '$2::bigint', emoji: '$3::text', user: '$4::text', at: '$5::timestamptz', place: '$6::bigint' }
const addSteps = adding(underLock, '')
const add = statement<Named>('add_reaction', `with ${addSteps.added}\n${addSteps.tally}`)
const removeSteps = removing(underLock, '')
const remove = statement<Named>('remove_reaction', `with ${removeSteps.removed}\n${removeSteps.tally}`)

/** $10 place of the message, $11 emoji, $12 time. */
const alone = {
  ...{ seq: '$10::bigint', emoji: '$11::text', user: '$2::text', at: '$12::timestamptz' },
  place: '($4::bigint + 1)',
}
const addAloneSteps = adding(alone, ' from line')
const addAtOnce = changeOfUnchangedRoom<Named>(
  'add_reaction_at_once',
  `${addAloneSteps.added}, written as (\n${addAloneSteps.tally}\n)`,
  'written.* from written',
)
const removeAloneSteps = removing(alone, ' using line')
const removeAtOnce = changeOfUnchangedRoom<Named | Record<keyof Named, null>>(
  'remove_reaction_at_once',
  `${removeAloneSteps.removed}, lowered as (\n${removeAloneSteps.tally}\n), written as (\n  select from removed\n)`,
  'lowered.* from written left join lowered on true',
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

/** Call with the log locked; `place` is the reaction's place in it. Returns the reactions with that emoji. */
export async function addReaction(
  on: Connection,
  reaction: Reaction,
  at: Date,
  place: bigint,
): Promise<Tally | undefined> {
  const [tally] = await add.run(on, [...parameters(reaction), at, place])
  return tally && { ...tally, mine: true }
}

/** The log must be locked. Returns the remaining reactions with that emoji. */
export async function removeReaction(on: Connection, reaction: Reaction): Promise<Tally | undefined> {
  const [tally] = await remove.run(on, parameters(reaction))
  return tally && { ...tally, mine: false }
}

/** The outbox entry of a reaction, and the reactions with its emoji. */
type AtOnce = { entries: bigint[]; tally: Tally | undefined }

/** Adds a reaction with its event in one statement; undefined when the room has changed. */
export async function addReactionAtOnce(
  on: Connection,
  decided: DecidedAt,
  { seq, emoji }: Reaction,
  at: Date,
): Promise<AtOnce | undefined> {
  const found = await addAtOnce.run(on, decided, [seq, emoji, at])
  if (!found) return undefined
  const { entries, ...tally } = found
  return { entries, tally: { ...tally, mine: true } }
}

/** Removes a reaction with its event in one statement; undefined when the room has changed. */
export async function removeReactionAtOnce(
  on: Connection,
  decided: DecidedAt,
  { seq, emoji }: Reaction,
): Promise<AtOnce | undefined> {
  const found = await removeAtOnce.run(on, decided, [seq, emoji])
  if (!found) return undefined
  const { entries, ...tally } = found
  return { entries, tally: tally.emoji === null ? undefined : { ...tally, mine: false } }
}

/** All reactions with that emoji, as the user sees them; undefined when there are none. */
export async function findTally(on: Connection, reaction: Reaction): Promise<Tally | undefined> {
  const [row] = await read.run(on, parameters(reaction))
  return row
}
