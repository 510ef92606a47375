import type { Subject } from '@parley/permissions'
import { findGroups, findRoomFor } from '../../clients/rooms.ts'
import type { Context } from '../../context.ts'
import type { DecisionScope } from '../../domain/decision-scope.ts'
import type { ResolvedScope } from '../../policy/role-editing.ts'

/** A direct message between other people counts as missing. */
export async function resolveScope(
  { rooms }: Pick<Context, 'rooms'>,
  caller: Subject,
  { kind, id }: DecisionScope,
): Promise<ResolvedScope> {
  switch (kind) {
    case 'server':
      return { kind }
    case 'group':
      return { kind, groupId: id, name: (await findGroups(rooms, [id]))[0]?.name }
    case 'room':
      return { kind, roomId: id, room: await findRoomFor(rooms, caller, id) }
  }
}
