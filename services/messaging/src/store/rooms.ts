import { RoomKind } from '@parley/contracts/api'
import type { RoomHeader, Standing } from '../domain/room-header.ts'
import { statement, transaction, type Connection, type Pool } from './statement.ts'

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

export const headerColumns = `l.room_id as "roomId", l.version, l.kind, l.group_id as "groupId", l.universal, l.archived,
  l.name, l.participant_ids as "participantIds"`

export const standingJoins = (user: string) => `
left join line_members m on m.room_id = l.room_id and m.user_id = ${user}
left join line_bans b on b.room_id = l.room_id and b.user_id = ${user}
cross join lateral (select exists (select from erasures where user_id = ${user}) as gone) erased`

/**
 * SQL, from `standingJoins`. An expired ban has no effect, even before the fact about its expiry arrives. Deleted users
 * count as banned.
 */
export const standingColumns = `coalesce(m.member, false) as member,
  erased.gone or coalesce(b.banned and (b.expires_at is null or b.expires_at > now()), false) as banned`

export const roomKinds = { channel: RoomKind.CHANNEL, dm: RoomKind.DM } as const
export const roomKindName = (kind: RoomKind): HeaderRow['kind'] => (kind === RoomKind.DM ? 'dm' : 'channel')

export function toHeader({ roomId, version, kind, groupId, universal, archived, name, participantIds }: HeaderRow) {
  return { roomId, version, kind: roomKinds[kind], groupId, universal, archived, name, participantIds }
}

const readHeader = statement<HeaderRow>('read_header', `select ${headerColumns} from room_lines l where l.room_id = $1`)

const readStanding = statement<HeaderRow & Standing>(
  'read_standing',
  `select ${headerColumns}, ${standingColumns} from room_lines l${standingJoins('$2')} where l.room_id = $1`,
)

const lock = statement('lock_log', 'select from room_lines where room_id = $1 for no key update')

export async function findHeader(on: Connection, roomId: string): Promise<RoomHeader | undefined> {
  const [row] = await readHeader.run(on, [roomId])
  return row && toHeader(row)
}

export type HeaderAndStanding = { room: RoomHeader; standing: Standing }

/** From one snapshot; undefined if the room is unknown. */
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

/** From one snapshot; undefined if the room is unknown. */
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

/** Locks the room until the transaction ends. Only later statements read the state that the lock protects. */
export async function lockLog(on: Connection, roomId: string): Promise<void> {
  await lock.run(on, [roomId])
}

const skip = statement('skip_place', 'update room_lines set room_seq = room_seq + 1 where room_id = $1')

/** Takes a place for a change without an event. The log must be locked. */
export async function skipPlace(on: Connection, roomId: string): Promise<void> {
  await skip.run(on, [roomId])
}

export function withLockedLog<T>(pool: Pool, roomId: string, run: (on: Connection) => Promise<T>): Promise<T> {
  return transaction(pool, async (on) => {
    await lockLog(on, roomId)
    return run(on)
  })
}
