import { Code, ConnectError } from '@connectrpc/connect'
import type { TransferFleet } from '../fleet.ts'
import { demoGroup, demoPeople, demoRooms } from './records.ts'

/** `logins`: accounts that the caller still has to delete. `rooms`: names. */
type Removed = {
  logins: string[]
  rooms: string[]
  /**
   * `kept`: it has other rooms or links, it is the only group, or the rooms service is of an earlier release. `none`:
   * no group has the sample's description.
   */
  group: 'deleted' | 'kept' | 'none'
}

/** Rooms cannot be deleted, so the sample rooms are archived. */
export async function removeDemo(
  { accounts, rooms }: Pick<TransferFleet, 'accounts' | 'rooms'>,
  source: string,
): Promise<Removed> {
  const archived: { roomId: string; name: string }[] = []
  for (const { id, name } of demoRooms) {
    // Importing a room again returns the room with this external id. Without a group, importRoom creates no room.
    const room = await undefinedIf(Code.NotFound, rooms.importRoom({ source, externalId: id, name, universal: true }))
    if (room === undefined) continue
    await rooms.archiveImportedRoom({ roomId: room.roomId })
    archived.push(room)
  }
  const roomIds = archived.map(({ roomId }) => roomId)
  const group = await removeGroup(rooms, roomIds)
  const { people } = await accounts.importPeople({
    source,
    matchEmails: false,
    people: demoPeople.map(({ id, name, displayName }) => ({ externalId: id, name, displayName })),
  })
  const logins = people.flatMap(({ login }) => (login === '' ? [] : [login]))
  return { logins, rooms: archived.map(({ name }) => name), group }
}

/**
 * The group is found by its description, because it may have been renamed, and another group may have its old name.
 */
async function removeGroup(rooms: TransferFleet['rooms'], roomIds: string[]): Promise<Removed['group']> {
  const { groups } = await rooms.exportLayout({})
  const known = groups.find(({ description }) => description === demoGroup.description)
  if (known === undefined) return 'none'
  // Earlier releases of the rooms service do not have this method.
  const answer = await undefinedIf(Code.Unimplemented, rooms.removeImportedGroup({ groupId: known.groupId, roomIds }))
  return answer?.removed ? 'deleted' : 'kept'
}

async function undefinedIf<T>(code: Code, answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ConnectError && error.code === code) return undefined
    throw error
  }
}
