import { policyFrom, type Policy } from '@parley/permissions'
import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { getPolicy, getRevision, readPolicy } from '../../store/policy.ts'
import { toPolicy } from '../../view/policy.ts'

/** The policy of the database. Uses the copy in this process unless a change has not reached it yet. */
export async function policyNow({ db, policy }: Pick<Context, 'db' | 'policy'>): Promise<Policy> {
  const followed = policy.current()
  if ((await getRevision(db)) === followed.revision) return followed
  return policyFrom(toPolicy(await getPolicy(db)))
}

/** The same within a transaction that holds the lock of the policy at this revision. */
export async function policyAt({ policy }: Pick<Context, 'policy'>, tx: Tx, revision: bigint): Promise<Policy> {
  const followed = policy.current()
  return followed.revision === revision ? followed : policyFrom(toPolicy({ revision, ...(await readPolicy(tx)) }))
}
