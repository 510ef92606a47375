import { defaultDecisions, systemRoles } from '@parley/permissions'
import type { Db } from '@parley/postgres'
import { blockedUsernames, permissionDecisions, policyState, roles, serverProfile } from './schema.ts'

const defaultBlockedUsernames = ['root', 'admin', 'superuser', 'op', 'operator', 'support']

/**
 * Returns whether the database was empty. The row of the policy serves as lock: other processes wait for the commit and
 * do nothing.
 */
export async function seed(db: Db): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [first] = await tx.insert(policyState).values({ revision: 1n }).onConflictDoNothing().returning()
    if (!first) return false
    await tx.insert(roles).values(systemRoles.map(({ assignable: _, ...role }) => role))
    await tx.insert(permissionDecisions).values(
      defaultDecisions.map(({ roleId, permission }) => ({
        scopeKind: 'server' as const,
        scopeId: '',
        subjectKind: 'role' as const,
        subjectId: roleId,
        permission,
        decision: 'allow' as const,
      })),
    )
    await tx.insert(blockedUsernames).values(defaultBlockedUsernames.map((username) => ({ username })))
    await tx.insert(serverProfile).values({ version: 1n })
    return true
  })
}
