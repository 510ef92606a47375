import type { Holder, Policy, Subject } from '@parley/permissions'
import { findGroups, listLayout } from '../../clients/rooms.ts'
import type { Context } from '../../context.ts'
import type { Column } from '../../view/matrix.ts'
import { findVisibleDecisions } from './visible-decisions.ts'

/**
 * Lists the scopes of a matrix: the server, then the groups with their channels in the order of the sidebar, then scopes
 * that the sidebar does not show (such as archived rooms and direct messages) if they have decisions.
 */
export async function listColumns(
  { rooms }: Pick<Context, 'rooms'>,
  policy: Policy,
  about: { holder: Holder; caller: Subject },
): Promise<Column[]> {
  const [layout, seen] = await Promise.all([listLayout(rooms), findVisibleDecisions({ rooms }, policy, about)])
  const shown = layout.flatMap(({ groupId, name, channels }): Column[] => [
    { kind: 'group', id: groupId, label: name, groupId: '' },
    ...channels.map((room): Column => ({ kind: 'room', id: room.roomId, label: room.name, groupId })),
  ])
  const known = new Set(shown.map(({ id }) => id))
  const groupIds = new Set(seen.decisions.flatMap(({ scope }) => (scope.kind === 'group' ? [scope.id] : [])))
  const groups = await findGroups(
    rooms,
    [...groupIds].filter((id) => !known.has(id)),
  )
  const hidden = seen.rooms.filter(({ roomId }) => !known.has(roomId))
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
