import { Code, ConnectError } from '@connectrpc/connect'
import type { TransferFleet } from '../fleet.ts'
import { demoGroup, demoPeople, demoRooms } from './records.ts'

/** The removed rooms and group, and the accounts that are left to remove. */
type Removed = {
  /** Logins of sample accounts that still exist. */
  logins: string[]
  /** Names of the rooms, which are archived now. */
  rooms: string[]
  /**
   * `kept`: it has other rooms or links, it is the only group, or rooms is of an earlier release. `none`: no group has
   * the sample's description.
   */
  group: 'deleted' | 'kept' | 'none'
}

/** Archives the sample rooms, which cannot be deleted, and removes their group. */
export async function removeDemo(
  { accounts, rooms }: Pick<TransferFleet, 'accounts' | 'rooms'>,
  source: string,
): Promise<Removed> {
  const made: { roomId: string; name: string }[] = []
  for (const { id, name } of demoRooms) {
    // Importing again returns the room with this external id. Without a group it creates no room.
    const room = await unless(Code.NotFound, rooms.importRoom({ source, externalId: id, name, universal: true }))
    if (room === undefined) continue
    await rooms.archiveImportedRoom({ roomId: room.roomId })
    made.push(room)
  }
  const roomIds = made.map(({ roomId }) => roomId)
  const group = await removeGroup(rooms, roomIds)
  const { people } = await accounts.importPeople({
    source,
    matchEmails: false,
    people: demoPeople.map(({ id, name, displayName }) => ({ externalId: id, name, displayName })),
  })
  const logins = people.flatMap(({ login }) => (login === '' ? [] : [login]))
  return { logins, rooms: made.map(({ name }) => name), group }
}

/** Finds the group by its description, because it may have been renamed, and another group may have its old name. */
async function removeGroup(rooms: TransferFleet['rooms'], roomIds: string[]): Promise<Removed['group']> {
  const { groups } = await rooms.exportLayout({})
  const known = groups.find(({ description }) => description === demoGroup.description)
  if (known === undefined) return 'none'
  // An earlier release of rooms does not have the method.
  const answer = await unless(Code.Unimplemented, rooms.removeImportedGroup({ groupId: known.groupId, roomIds }))
  return answer?.removed ? 'deleted' : 'kept'
}

/** The answer of a call; undefined if it fails with the code. */
async function unless<T>(code: Code, answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ConnectError && error.code === code) return undefined
    throw error
  }
}
