import { RoomKind } from '@parley/contracts/api'
import type { Tx } from '@parley/postgres'
import type { Channel, NewRoom } from '../domain/new-room.ts'
import { roomNameKey } from '../domain/room-name.ts'
import { insertFacts } from './facts.ts'
import type { RoomRow } from './rows.ts'
import { roomMembers, rooms } from './schema.ts'

export const nameIndex = 'rooms_name_key'

const defaults = { universalEndedAt: null, archived: false }

export function channelRow({ head, version, at }: NewRoom<Channel>): RoomRow {
  const { name } = head
  return { ...defaults, ...head, kind: RoomKind.CHANNEL, version, nameKey: roomNameKey(name), createdAt: at }
}

export function dmRow({ head, version, at }: NewRoom<{ id: string }>): RoomRow {
  return {
    ...defaults,
    id: head.id,
    kind: RoomKind.DM,
    version,
    name: '',
    nameKey: null,
    description: '',
    groupId: null,
    universal: false,
    createdAt: at,
  }
}

type InitialRows = Pick<NewRoom<unknown>, 'facts' | 'members' | 'at'>

/** Throws a violation of `nameIndex` if the name is taken. */
export async function insertRoom(tx: Tx, row: RoomRow, initial: InitialRows): Promise<void> {
  await tx.insert(rooms).values(row)
  await insertInitialRows(tx, row, initial)
}

/** False if a room with this id exists. */
export async function insertRoomOnce(tx: Tx, row: RoomRow, initial: InitialRows): Promise<boolean> {
  const inserted = await tx
    .insert(rooms)
    .values(row)
    .onConflictDoNothing({ target: rooms.id })
    .returning({ id: rooms.id })
  if (inserted.length === 0) return false
  await insertInitialRows(tx, row, initial)
  return true
}

async function insertInitialRows(tx: Tx, row: RoomRow, { facts, members, at }: InitialRows): Promise<void> {
  await insertFacts(tx, row.id, facts, at)
  if (members.length === 0) return
  await tx
    .insert(roomMembers)
    .values(members.map(({ userId, version }) => ({ roomId: row.id, userId, member: true, version, since: at })))
}
