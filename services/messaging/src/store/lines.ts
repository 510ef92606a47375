import { RoomKind } from '@parley/contracts/api'
import type { RoomHeader, Standing } from '../domain/room-line.ts'
import { statement, transaction, type Connection, type Pool } from './statement.ts'

/** The header of a room as columns. */
export type HeaderRow = {
  roomId: string
  version: bigint
  kind: 'channel' | 'dm'
  groupId: string
  universal: boolean
  archived: boolean
  name: string
  participantIds: string[]
}

/** The header of `room_lines l`. */
export const headerColumns = `l.room_id as "roomId", l.version, l.kind, l.group_id as "groupId", l.universal, l.archived,
  l.name, l.participant_ids as "participantIds"`

/** Rows of one user in the room of `room_lines l`; `$user` is the parameter that holds the user's id. */
export const standingJoins = (user: string) => `
left join line_members m on m.room_id = l.room_id and m.user_id = ${user}
left join line_bans b on b.room_id = l.room_id and b.user_id = ${user}
cross join lateral (select exists (select from erasures where user_id = ${user}) as gone) erased`

/**
 * The user's standing. An expired ban does not count, even if rooms has not announced its end. Deleted users are in no
 * room.
 */
export const standingColumns = `coalesce(m.member, false) as member,
  erased.gone or coalesce(b.banned and (b.expires_at is null or b.expires_at > now()), false) as banned`

export const roomKinds = { channel: RoomKind.CHANNEL, dm: RoomKind.DM } as const
export const roomKindName = (kind: RoomKind): HeaderRow['kind'] => (kind === RoomKind.DM ? 'dm' : 'channel')

/** Reads the header from a row. */
export function toHeader({ roomId, version, kind, groupId, universal, archived, name, participantIds }: HeaderRow) {
  return { roomId, version, kind: roomKinds[kind], groupId, universal, archived, name, participantIds }
}

const readHeader = statement<HeaderRow>('read_header', `select ${headerColumns} from room_lines l where l.room_id = $1`)

const readStanding = statement<HeaderRow & Standing>(
  'read_standing',
  `select ${headerColumns}, ${standingColumns} from room_lines l${standingJoins('$2')} where l.room_id = $1`,
)

const lock = statement('lock_line', 'select from room_lines where room_id = $1 for no key update')

export async function findHeader(on: Connection, roomId: string): Promise<RoomHeader | undefined> {
  const [row] = await readHeader.run(on, [roomId])
  return row && toHeader(row)
}

export type HeaderAndStanding = { room: RoomHeader; standing: Standing }

/** The room and the user's standing in it, in one snapshot. */
export async function findStanding(
  on: Connection,
  roomId: string,
  userId: string,
): Promise<HeaderAndStanding | undefined> {
  const [row] = await readStanding.run(on, [roomId, userId])
  if (!row) return undefined
  const { member, banned } = row
  return { room: toHeader(row), standing: { member, banned } }
}

const readStandings = statement<HeaderRow & Standing & { userId: string }>(
  'read_standings',
  `select ${headerColumns}, u.user_id as "userId", ${standingColumns}
from room_lines l cross join unnest($2::text[]) as u (user_id)${standingJoins('u.user_id')}
where l.room_id = $1`,
)

/** The room and the standing of each user in it, in one snapshot; undefined when the room is unknown. */
export async function findStandings(
  on: Connection,
  roomId: string,
  userIds: readonly string[],
): Promise<{ room: RoomHeader; standings: ReadonlyMap<string, Standing> } | undefined> {
  const rows = await readStandings.run(on, [roomId, userIds])
  const [first] = rows
  if (!first) return undefined
  return {
    room: toHeader(first),
    standings: new Map(rows.map(({ userId, member, banned }) => [userId, { member, banned }])),
  }
}

/** Locks the room until the transaction ends. Read everything else afterwards, in a separate snapshot. */
export async function lockLine(on: Connection, roomId: string): Promise<void> {
  await lock.run(on, [roomId])
}

const skip = statement('skip_place', 'update room_lines set room_seq = room_seq + 1 where room_id = $1')

/** Takes a place for a change without an event. The room must be locked. */
export async function skipPlace(on: Connection, roomId: string): Promise<void> {
  await skip.run(on, [roomId])
}

/** Runs in a transaction that has locked the room; see {@link lockLine}. */
export function holdStill<T>(pool: Pool, roomId: string, run: (on: Connection) => Promise<T>): Promise<T> {
  return transaction(pool, async (on) => {
    await lockLine(on, roomId)
    return run(on)
  })
}
