import { eq, sql } from 'drizzle-orm'
import type { Reader, Tx } from '@parley/postgres'
import { nameKey, searchGrams, searchKey } from '../domain/people-search.ts'
import { people, projectionFills } from './schema.ts'

export type Profile = { userId: string; login: string; displayName: string; deleted: boolean; version: bigint }
export type Roles = { userId: string; roleIds: string[]; version: bigint }

const noVersion = -1n

export const noNames = { login: '', displayName: '', nameKey: '', searchKey: '', searchGrams: [] as string[] }

function namesOf(names: { login: string; displayName: string }): typeof noNames {
  const key = searchKey(names)
  return { ...names, nameKey: nameKey(names), searchKey: key, searchGrams: searchGrams(key) }
}

export type Versions = { profileVersion: bigint; rolesVersion: bigint }

const selectVersions = (reader: Reader, userId: string) => {
  const { profileVersion, rolesVersion } = people
  return reader.select({ profileVersion, rolesVersion }).from(people).where(eq(people.userId, userId))
}
const unknownVersions: Versions = { profileVersion: noVersion, rolesVersion: noVersion }

/** If there is no row, returns versions below all others. */
export async function findVersions(reader: Reader, userId: string): Promise<Versions> {
  const [found] = await selectVersions(reader, userId)
  return found ?? unknownVersions
}

/** As `findVersions`; also locks the row until the transaction ends. */
export async function lockVersions(tx: Tx, userId: string): Promise<Versions> {
  const [held] = await selectVersions(tx, userId).for('update')
  return held ?? unknownVersions
}

/** The values saved next replace the stored ones, even if their versions are lower. */
export async function forgetVersions(tx: Tx, userId: string): Promise<void> {
  await tx.update(people).set(unknownVersions).where(eq(people.userId, userId))
}

/** Stores only newer profiles. A tombstone is final and has no data. Ids must be in ascending order. */
export async function saveProfiles(tx: Tx, profiles: readonly Profile[]): Promise<void> {
  if (profiles.length === 0) return
  const rows = profiles.map((profile) => {
    const { userId, login, displayName, deleted, version } = profile
    const names = deleted ? noNames : namesOf({ login, displayName })
    return { userId, ...names, deleted, profileVersion: version, roleIds: [], rolesVersion: noVersion }
  })
  await tx
    .insert(people)
    .values(rows)
    .onConflictDoUpdate({
      target: people.userId,
      set: {
        login: sql`excluded.login`,
        displayName: sql`excluded.display_name`,
        nameKey: sql`excluded.name_key`,
        searchKey: sql`excluded.search_key`,
        searchGrams: sql`excluded.search_grams`,
        deleted: sql`excluded.deleted`,
        roleIds: sql`case when excluded.deleted then '{}' else ${people.roleIds} end`,
        profileVersion: sql`excluded.profile_version`,
      },
      setWhere: sql`${people.profileVersion} < excluded.profile_version and not ${people.deleted}`,
    })
}

/** Stores only newer roles. Ids must be in ascending order. */
export async function saveRoles(tx: Tx, roles: readonly Roles[]): Promise<void> {
  if (roles.length === 0) return
  const unnamed = { ...noNames, deleted: false, profileVersion: noVersion }
  await tx
    .insert(people)
    .values(roles.map(({ userId, roleIds, version }) => ({ ...unnamed, userId, roleIds, rolesVersion: version })))
    .onConflictDoUpdate({
      target: people.userId,
      set: { roleIds: sql`excluded.role_ids`, rolesVersion: sql`excluded.roles_version` },
      setWhere: sql`${people.rolesVersion} < excluded.roles_version and not ${people.deleted}`,
    })
}

export async function isFilled(reader: Reader, name: string): Promise<boolean> {
  const found = await reader
    .select({ name: projectionFills.name })
    .from(projectionFills)
    .where(eq(projectionFills.name, name))
  return found.length > 0
}

export async function markFilled(tx: Tx, name: string): Promise<void> {
  await tx
    .insert(projectionFills)
    .values({ name, filledAt: sql`now()` })
    .onConflictDoNothing()
}

/** The stored roles; empty for unknown users, undefined for deleted ones. */
export async function findRoleIds(reader: Reader, userId: string): Promise<string[] | undefined> {
  const { roleIds, deleted } = people
  const [found] = await reader.select({ roleIds, deleted }).from(people).where(eq(people.userId, userId))
  return found?.deleted ? undefined : (found?.roleIds ?? [])
}
