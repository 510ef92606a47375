import { storedDecisions, type Holder, type Policy } from '@parley/auth'
import { findGroups, findRooms, listLayout } from '../clients/rooms.ts'
import type { Context } from '../context.ts'
import type { Column } from '../view/matrix.ts'

/**
 * The scopes of a matrix: the server, then groups each with its channels, as the sidebar shows them; behind them what it does
 * not show (archived rooms, direct messages) where something is decided.
 */
export async function columnsFor({ rooms }: Pick<Context, 'rooms'>, policy: Policy, holder: Holder): Promise<Column[]> {
  const shown = (await listLayout(rooms)).flatMap(({ groupId, name, channels }): Column[] => [
    { kind: 'group', id: groupId, label: name, groupId: '' },
    ...channels.map((room): Column => ({ kind: 'room', id: room.roomId, label: room.name, groupId })),
  ])
  const known = new Set(shown.map(({ id }) => id))
  const elsewhere = (kind: 'group' | 'room') => {
    const ids = storedDecisions(policy, holder).flatMap(({ scope }) => (scope.kind === kind ? [scope.id] : []))
    return [...new Set(ids)].filter((id) => !known.has(id))
  }
  const [groupIds, roomIds] = [elsewhere('group'), elsewhere('room')]
  const [groups, hidden] = await Promise.all([findGroups(rooms, groupIds), findRooms(rooms, roomIds)])
  return [
    { kind: 'server', id: '', label: 'Server', groupId: '' },
    ...shown,
    ...groups.map(({ groupId, name }): Column => ({ kind: 'group', id: groupId, label: name, groupId: '' })),
    ...hidden.map(({ roomId, name, groupId }): Column => ({
      kind: 'room',
      id: roomId,
      label: name || 'Direct message',
      groupId,
    })),
  ]
}
