import type { TransferFleet } from '../fleet.ts'
import { demoGroup, demoPeople, demoRooms } from './records.ts'

/** Archives the sample rooms; returns their names, and the logins of sample accounts that still exist. */
export async function removeDemo(
  { accounts, rooms }: Pick<TransferFleet, 'accounts' | 'rooms'>,
  source: string,
): Promise<{ logins: string[]; rooms: string[] }> {
  const { groupId } = await rooms.importGroup({ name: demoGroup.name, description: demoGroup.description })
  for (const { id, name, description } of demoRooms) {
    const { roomId } = await rooms.importRoom({ source, externalId: id, name, description, groupId, universal: true })
    await rooms.archiveImportedRoom({ roomId })
  }
  const { people } = await accounts.importPeople({
    source,
    matchEmails: false,
    people: demoPeople.map(({ id, name, displayName }) => ({ externalId: id, name, displayName })),
  })
  const logins = people.flatMap(({ login }) => (login === '' ? [] : [login]))
  return { logins, rooms: demoRooms.map(({ name }) => name) }
}
