import { inArray, lt } from 'drizzle-orm'
import type { Db } from '@parley/postgres'
import { providerLogins } from './schema.ts'

/** Deletes up to `atOnce` browsers that did not come back in time; answers how many there were. */
export async function deleteExpiredProviderLogins(db: Db, now: Date, atOnce: number): Promise<number> {
  const expired = db
    .select({ digest: providerLogins.stateDigest })
    .from(providerLogins)
    .where(lt(providerLogins.expiresAt, now))
    .limit(atOnce)
    .for('update', { skipLocked: true })
  return (await db.delete(providerLogins).where(inArray(providerLogins.stateDigest, expired))).rowCount ?? 0
}
