import { findGroups, findRooms } from '../clients/rooms.ts'
import type { Context } from '../context.ts'
import type { DecisionScope } from '../domain/decision-scope.ts'
import type { Place } from '../policy/role-editing.ts'

/** Looks whether a group or room is there. */
export async function findPlace({ rooms }: Pick<Context, 'rooms'>, { kind, id }: DecisionScope): Promise<Place> {
  switch (kind) {
    case 'server':
      return { kind }
    case 'group':
      return { kind, groupId: id, name: (await findGroups(rooms, [id]))[0]?.name }
    case 'room':
      return { kind, roomId: id, room: (await findRooms(rooms, [id]))[0] }
  }
}
