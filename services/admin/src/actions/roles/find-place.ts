import type { Subject } from '@parley/permissions'
import { findGroups, findRoomOf } from '../../clients/rooms.ts'
import type { Context } from '../../context.ts'
import type { DecisionScope } from '../../domain/decision-scope.ts'
import type { Place } from '../../policy/role-editing.ts'

/** Checks whether a group or room exists and is visible to the caller. */
export async function findPlace(
  { rooms }: Pick<Context, 'rooms'>,
  caller: Subject,
  { kind, id }: DecisionScope,
): Promise<Place> {
  switch (kind) {
    case 'server':
      return { kind }
    case 'group':
      return { kind, groupId: id, name: (await findGroups(rooms, [id]))[0]?.name }
    case 'room':
      return { kind, roomId: id, room: await findRoomOf(rooms, caller, id) }
  }
}
