import { Code, ConnectError } from '@connectrpc/connect'
import type { TransferFleet } from '../fleet.ts'
import { demoGroup, demoPeople, demoRooms } from './records.ts'

/** What was removed of the sample's layout, and what remains to be. */
type Removed = {
  /** Logins of sample accounts that still exist. */
  logins: string[]
  /** Names of the rooms, which are archived now. */
  rooms: string[]
  /** `kept`: something else is in it, or there is no other. `none`: there is no group with the sample's description. */
  group: 'deleted' | 'kept' | 'none'
}

/** Archives the sample rooms, which cannot be deleted, and removes their group. */
export async function removeDemo(
  { accounts, rooms }: Pick<TransferFleet, 'accounts' | 'rooms'>,
  source: string,
): Promise<Removed> {
  const made: { roomId: string; name: string }[] = []
  for (const { id, name } of demoRooms) {
    // Returns the room by its id at the source. Without a group none is made.
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

/** The group is known by its description: it may have got another name, and another group may have that name. */
async function removeGroup(rooms: TransferFleet['rooms'], roomIds: string[]): Promise<Removed['group']> {
  const { groups } = await rooms.exportLayout({})
  const known = groups.find(({ description }) => description === demoGroup.description)
  if (known === undefined) return 'none'
  // A process of an earlier release does not have the method.
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
