import type { Holder, Policy, Subject } from '@parley/permissions'
import { listLayout } from '../../clients/rooms.ts'
import type { Context } from '../../context.ts'
import type { Column } from '../../view/matrix.ts'
import { findVisibleDecisions } from './visible-decisions.ts'

/**
 * Returns the server, then the groups with their channels in the order of the sidebar, then archived rooms and direct
 * messages with decisions for the holder. Leaves out direct messages in which the caller does not take part.
 */
export async function listColumns(
  { rooms }: Pick<Context, 'rooms'>,
  policy: Policy,
  about: { holder: Holder; caller: Subject },
): Promise<Column[]> {
  const [layout, visible] = await Promise.all([listLayout(rooms), findVisibleDecisions({ rooms }, policy, about)])
  const sidebar = layout.flatMap(({ groupId, name, channels }): Column[] => [
    { kind: 'group', id: groupId, label: name, groupId: '' },
    ...channels.map((room): Column => ({ kind: 'room', id: room.roomId, label: room.name, groupId })),
  ])
  const known = new Set(sidebar.map(({ id }) => id))
  const outsideSidebar = visible.rooms.filter(({ roomId }) => !known.has(roomId))
  return [
    { kind: 'server', id: '', label: 'Server', groupId: '' },
    ...sidebar,
    ...outsideSidebar.map(({ roomId, name, groupId }): Column => ({
      kind: 'room',
      id: roomId,
      label: name || 'Direct message',
      groupId,
    })),
  ]
}
