import type { Db } from '@parley/postgres'
import { isBlocked } from '../../store/blocked-usernames.ts'
import { getPolicy } from '../../store/policy.ts'
import { seed } from '../../store/seed.ts'
import { toPolicy } from '../../view/policy.ts'

/** Seeds an empty database first, because the first owner may be created before admin has ever run. */
export async function getNewAccountData(db: Db, login: string) {
  await seed(db)
  return { policy: toPolicy(await getPolicy(db)), blocked: await isBlocked(db, login) }
}
