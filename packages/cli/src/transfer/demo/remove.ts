import type { TransferFleet } from '../fleet.ts'
import { demoGroup, demoPeople, demoRooms } from './records.ts'

/** What was removed of the sample's layout, and what remains to be. */
type Removed = {
  /** Logins of sample accounts that still exist. */
  logins: string[]
  /** Names of the rooms, which are archived now. */
  rooms: string[]
  /** Whether the group is gone; it stays if something else is in it. */
  group: boolean
}

/** Archives the sample rooms, which cannot be deleted, and removes their group. */
export async function removeDemo(
  { accounts, rooms }: Pick<TransferFleet, 'accounts' | 'rooms'>,
  source: string,
): Promise<Removed> {
  const { groupId } = await rooms.importGroup({ name: demoGroup.name, description: demoGroup.description })
  const made: { roomId: string; name: string }[] = []
  for (const { id, name, description } of demoRooms) {
    const room = await rooms.importRoom({ source, externalId: id, name, description, groupId, universal: true })
    await rooms.archiveImportedRoom({ roomId: room.roomId })
    made.push(room)
  }
  const { removed } = await rooms.removeImportedGroup({ groupId, roomIds: made.map(({ roomId }) => roomId) })
  const { people } = await accounts.importPeople({
    source,
    matchEmails: false,
    people: demoPeople.map(({ id, name, displayName }) => ({ externalId: id, name, displayName })),
  })
  const logins = people.flatMap(({ login }) => (login === '' ? [] : [login]))
  return { logins, rooms: made.map(({ name }) => name), group: removed }
}
