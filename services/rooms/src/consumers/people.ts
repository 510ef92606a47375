import type { Event } from '@parley/contracts/internal'
import type { EventHandler, EventPreparation } from '@parley/events'
import type { Context } from '../context.ts'
import { saveProfiles, saveRoles } from '../store/people.ts'

type Accounts = Pick<Context['accounts'], 'getPeople'>

const askMs = 3000

/** Keeps the names in `people` equal to accounts, which is asked for them: no event holds a name. The newest answer wins. */
export const onProfileEvent =
  (accounts: Accounts): EventPreparation =>
  async ({ aggregateId: userId, fact }: Event) => {
    if (fact.case !== 'userChanged') return undefined
    const { people } = await accounts.getPeople({ userIds: [userId] }, { timeoutMs: askMs })
    return (tx) => saveProfiles(tx, people)
  }

/** Keeps roles and deletions in `people`. Versions of the account decide, so the order of arrival does not matter. */
export const onAccessEvent: EventHandler = async ({ aggregateId: userId, version, fact }, tx) => {
  if (fact.case === 'userRolesChanged') await saveRoles(tx, [{ userId, roleIds: fact.value.roleIds, version }])
  if (fact.case === 'userChanged' && fact.value.deleted)
    await saveProfiles(tx, [{ userId, login: '', displayName: '', deleted: true, version }])
}
