import type { Tally } from '../domain/tally.ts'
import type { MessagePlace } from './edits.ts'
import { statement, type Connection } from './statement.ts'
import { defineChangeIfRoomUnchanged, type DecidedState } from './unchanged-room.ts'

const maxNamed = 5

/** SQL expressions; `place` is that of the reaction. */
type Parameters = { seq: string; emoji: string; user: string; at: string; place: string }

/** SQL for room $1. `source`: the FROM clause of the insertion, or empty. */
const addParts = ({ seq, emoji, user, at, place }: Parameters, source: string) => ({
  added: `added as (
  insert into reactions (room_id, seq, emoji, user_id, created_at) select $1, ${seq}, ${emoji}, ${user}, ${at}${source}
  on conflict do nothing
  returning 1
)`,
  tally: `insert into reaction_tallies as t (room_id, seq, emoji, count, first_user_ids, since)
select $1, ${seq}, ${emoji}, 1, array[${user}], ${place} from added
on conflict (room_id, seq, emoji) do update
set count = t.count + 1,
    first_user_ids = case when cardinality(t.first_user_ids) < ${maxNamed}
      then t.first_user_ids || excluded.first_user_ids else t.first_user_ids end
returning t.emoji, t.count, t.first_user_ids as "firstUserIds"`,
})

/**
 * SQL for room $1. If a named user removes a reaction, the tally names the next user. `source`: the USING clause of the
 * deletion, or empty.
 */
const removeParts = ({ seq, emoji, user }: Parameters, source: string) => ({
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

type TallyRow = Omit<Tally, 'mine'>

const parametersUnderLock = {
  seq: '$2::bigint',
  emoji: '$3::text',
  user: '$4::text',
  at: '$5::timestamptz',
  place: '$6::bigint',
}
const addSql = addParts(parametersUnderLock, '')
const add = statement<TallyRow>('add_reaction', `with ${addSql.added}\n${addSql.tally}`)
const removeSql = removeParts(parametersUnderLock, '')
const remove = statement<TallyRow>('remove_reaction', `with ${removeSql.removed}\n${removeSql.tally}`)

/** See `defineChangeIfRoomUnchanged`. $10 place of the message, $11 emoji, $12 time. */
const parametersWithoutLock = {
  ...{ seq: '$10::bigint', emoji: '$11::text', user: '$2::text', at: '$12::timestamptz' },
  place: '($4::bigint + 1)',
}
const addWithEventSql = addParts(parametersWithoutLock, ' from unchanged_room')
const addWithEvent = defineChangeIfRoomUnchanged<TallyRow>(
  'add_reaction_with_event',
  `${addWithEventSql.added}, written as (\n${addWithEventSql.tally}\n)`,
  'written.* from written',
)
const removeWithEventSql = removeParts(parametersWithoutLock, ' using unchanged_room')
const removeWithEvent = defineChangeIfRoomUnchanged<TallyRow | Record<keyof TallyRow, null>>(
  'remove_reaction_with_event',
  `${removeWithEventSql.removed}, lowered as (\n${removeWithEventSql.tally}\n), written as (\n  select from removed\n)`,
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

export type Reaction = MessagePlace & { emoji: string; userId: string }

const parameters = ({ roomId, seq, emoji, userId }: Reaction) => [roomId, seq, emoji, userId]

/**
 * `place` is that of the reaction. The log must be locked. Returns the new tally; undefined, without a change, if the
 * user already has this reaction.
 */
export async function addReaction(
  on: Connection,
  reaction: Reaction,
  at: Date,
  place: bigint,
): Promise<Tally | undefined> {
  const [tally] = await add.run(on, [...parameters(reaction), at, place])
  return tally && { ...tally, mine: true }
}

/** The log must be locked. Returns the new tally; undefined if no reaction remains or the user had none. */
export async function removeReaction(on: Connection, reaction: Reaction): Promise<Tally | undefined> {
  const [tally] = await remove.run(on, parameters(reaction))
  return tally && { ...tally, mine: false }
}

type TallyWithEntry = { entries: bigint[]; tally: Tally | undefined }

/**
 * Undefined, without a change, if the room has changed since `decided`, the message is retracted, the user's account is
 * deleted, or the user already has this reaction.
 */
export async function addReactionWithEvent(
  on: Connection,
  decided: DecidedState,
  { seq, emoji }: Reaction,
  at: Date,
): Promise<TallyWithEntry | undefined> {
  const found = await addWithEvent.run(on, decided, [seq, emoji, at])
  if (!found) return undefined
  const { entries, ...tally } = found
  return { entries, tally: { ...tally, mine: true } }
}

/**
 * Undefined, without a change, if the room has changed since `decided`, the message is retracted, the user's account is
 * deleted, or the user has no such reaction.
 */
export async function removeReactionWithEvent(
  on: Connection,
  decided: DecidedState,
  { seq, emoji }: Reaction,
): Promise<TallyWithEntry | undefined> {
  const found = await removeWithEvent.run(on, decided, [seq, emoji])
  if (!found) return undefined
  const { entries, ...tally } = found
  return { entries, tally: tally.emoji === null ? undefined : { ...tally, mine: false } }
}

export async function findTally(on: Connection, reaction: Reaction): Promise<Tally | undefined> {
  const [row] = await read.run(on, parameters(reaction))
  return row
}
