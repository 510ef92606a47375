import type { Event } from '@parley/contracts/internal'
import type { Tx } from '@parley/postgres'
import { saveProfiles, saveRoles } from '../store/people.ts'

/** Keeps `people` equal to accounts. Versions of the account decide, so the order of arrival does not matter. */
export async function onUserEvent({ aggregateId: userId, version, fact }: Event, tx: Tx): Promise<void> {
  if (fact.case === 'userChanged') {
    const { login, displayName, deleted } = fact.value
    await saveProfiles(tx, [{ userId, login, displayName, deleted, version }])
  } else if (fact.case === 'userRolesChanged') {
    await saveRoles(tx, [{ userId, roleIds: fact.value.roleIds, version }])
  }
}
