import type { Event } from '@parley/contracts/internal'
import type { EventHandler, EventPreparation } from '@parley/events'
import type { Tx } from '@parley/postgres'
import type { Context } from '../context.ts'
import { forgetVersions, lockVersions, saveProfiles, saveRoles } from '../store/people.ts'

type Accounts = Pick<Context['accounts'], 'getPeople'>

const timeoutMs = 3000

/**
 * Keeps the names in `people` equal to those in accounts. They are fetched, because no event contains a name. The
 * newest response is kept.
 */
export const onProfileEvent =
  (accounts: Accounts): EventPreparation =>
  async ({ aggregateId: userId, fact }: Event) => {
    if (fact.case !== 'userChanged') return undefined
    const people = await fetchPeople(accounts, userId)
    return async (tx) => {
      const { profileVersion } = await lockVersions(tx, userId)
      if (people.some(({ version }) => version < profileVersion)) await refetch(accounts, tx, userId)
      else await saveProfiles(tx, people)
    }
  }

/** Keeps roles and deletions in `people`. Versions of the account decide, so the order of arrival does not matter. */
export const onAccessEvent =
  (accounts: Accounts): EventHandler =>
  async ({ aggregateId: userId, version, fact }, tx) => {
    if (fact.case === 'userRolesChanged') {
      const { rolesVersion } = await lockVersions(tx, userId)
      if (version < rolesVersion) await refetch(accounts, tx, userId)
      else await saveRoles(tx, [{ userId, roleIds: fact.value.roleIds, version }])
    }
    if (fact.case === 'userChanged' && fact.value.deleted)
      await saveProfiles(tx, [{ userId, login: '', displayName: '', deleted: true, version }])
  }

const fetchPeople = async (accounts: Accounts, userId: string) =>
  (await accounts.getPeople({ userIds: [userId] }, { timeoutMs })).people

/**
 * A version below the stored one means either a late event, or the first event after accounts' database was restored.
 * The response of accounts, while the row is locked, is newer than everything stored before.
 */
async function refetch(accounts: Accounts, tx: Tx, userId: string): Promise<void> {
  const people = await fetchPeople(accounts, userId)
  await forgetVersions(tx, userId)
  await saveProfiles(tx, people)
  await saveRoles(tx, people)
}
