import type { EventPreparation } from '@parley/events'
import type { Tx } from '@parley/postgres'
import type { Context } from '../context.ts'
import { findVersions, forgetVersions, lockVersions, saveProfiles, saveRoles, type Versions } from '../store/people.ts'

type Dependencies = { db: Context['db']; accounts: Pick<Context['accounts'], 'getPeople'> }
type Person = Awaited<ReturnType<typeof fetchPeople>>[number]

const timeoutMs = 3000

/** Events contain no names, so the names are fetched. */
export const onProfileEvent =
  ({ db, accounts }: Dependencies): EventPreparation =>
  async ({ aggregateId: userId, fact }) => {
    if (fact.case !== 'userChanged') return undefined
    const before = await findVersions(db, userId)
    const people = await fetchPeople(accounts, userId)
    return async (tx) => {
      const held = await lockVersions(tx, userId)
      if (people.some(({ version }) => version < held.profileVersion))
        await replace(tx, userId, { before, held, people })
      else await saveProfiles(tx, people)
    }
  }

/** Versions decide whether an event is newer than the stored row, so events may arrive in any order. */
export const onAccessEvent =
  ({ db, accounts }: Dependencies): EventPreparation =>
  async ({ aggregateId: userId, version, fact }) => {
    if (fact.case === 'userRolesChanged') {
      const { roleIds } = fact.value
      const before = await findVersions(db, userId)
      const people = version < before.rolesVersion ? await fetchPeople(accounts, userId) : undefined
      return async (tx) => {
        const held = await lockVersions(tx, userId)
        if (version < held.rolesVersion) await replace(tx, userId, { before, held, people })
        else await saveRoles(tx, [{ userId, roleIds, version }])
      }
    }
    if (fact.case !== 'userChanged' || !fact.value.deleted) return undefined
    return (tx) => saveProfiles(tx, [{ userId, login: '', displayName: '', deleted: true, version }])
  }

const fetchPeople = async (accounts: Dependencies['accounts'], userId: string) =>
  (await accounts.getPeople({ userIds: [userId] }, { timeoutMs })).people

/**
 * A version below the stored one means that an event or response is late, or that the database of the service
 * `accounts` was restored. Either way, a response requested after the stored versions were read is current. Throws if
 * the versions have changed since or nothing was requested; the event is then delivered again.
 */
async function replace(
  tx: Tx,
  userId: string,
  { before, held, people }: { before: Versions; held: Versions; people: readonly Person[] | undefined },
): Promise<void> {
  const isUnchanged = held.profileVersion === before.profileVersion && held.rolesVersion === before.rolesVersion
  if (!people || !isUnchanged) throw new Error('the stored names or roles have changed meanwhile')
  await forgetVersions(tx, userId)
  await saveProfiles(tx, people)
  await saveRoles(tx, people)
}
