import type { Db } from '@parley/postgres'
import { isBlocked } from '../../store/blocked-usernames.ts'
import { getPolicy } from '../../store/policy.ts'
import { seed } from '../../store/seed.ts'
import { toPolicy } from '../../view/policy.ts'

/**
 * Returns the data that accounts needs to create an account: the policy, and whether the login is blocked. Seeds an empty
 * database first.
 */
export async function getNewAccountData(db: Db, login: string) {
  // The first owner may be created before admin has ever run.
  await seed(db)
  return { policy: toPolicy(await getPolicy(db)), blocked: await isBlocked(db, login) }
}
