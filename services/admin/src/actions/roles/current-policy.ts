import { policyFrom, type Policy } from '@parley/permissions'
import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { getPolicy, getRevision, readPolicy } from '../../store/policy.ts'
import { toPolicy } from '../../view/policy.ts'

/** The copy in this process if it has the stored revision, otherwise the policy in the database. */
export async function getCurrentPolicy({ db, policy }: Pick<Context, 'db' | 'policy'>): Promise<Policy> {
  const followed = policy.current()
  if ((await getRevision(db)) === followed.revision) return followed
  return policyFrom(toPolicy(await getPolicy(db)))
}

/** For a transaction that has locked the policy. `revision`: the stored one. */
export async function getPolicyAt({ policy }: Pick<Context, 'policy'>, tx: Tx, revision: bigint): Promise<Policy> {
  const followed = policy.current()
  return followed.revision === revision ? followed : policyFrom(toPolicy({ revision, ...(await readPolicy(tx)) }))
}
