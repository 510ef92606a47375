import type { Event } from '@parley/contracts/internal'
import type { EventHandler, EventPreparation } from '@parley/events'
import type { Tx } from '@parley/postgres'
import type { Context } from '../context.ts'
import { forgetVersions, lockVersions, saveProfiles, saveRoles } from '../store/people.ts'

type Accounts = Pick<Context['accounts'], 'getPeople'>

const timeoutMs = 3000

/**
 * Copies changed names from accounts to `people`. The names are fetched, because events contain none. If the response
 * is older than the stored names, they are fetched again while the row is locked.
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

/**
 * Copies role changes and deletions to `people`. The versions of the account decide which is newer, so events may
 * arrive in any order.
 */
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
 * Replaces the stored names and roles. A version below the stored one means that an event or response is late, or that
 * the database of accounts was restored; a response that is fetched while the row is locked is current in both cases.
 */
async function refetch(accounts: Accounts, tx: Tx, userId: string): Promise<void> {
  const people = await fetchPeople(accounts, userId)
  await forgetVersions(tx, userId)
  await saveProfiles(tx, people)
  await saveRoles(tx, people)
}
