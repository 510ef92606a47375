import { createHmac } from 'node:crypto'
import { and, eq, gt, inArray, lt } from 'drizzle-orm'
import type { Db, Tx } from '@parley/postgres'
import { providerLogins } from './schema.ts'

type Row = typeof providerLogins.$inferSelect
/** A browser that is at a provider. */
export type ProviderLogin = Omit<Row, 'stateDigest' | 'browserDigest'>
/** What the browser brings back: both must be those it left with. */
type Secrets = { state: string; browserHandle: string }

export async function insertProviderLogin(
  tx: Tx,
  secretKey: string,
  secrets: Secrets,
  login: ProviderLogin,
): Promise<void> {
  await tx.insert(providerLogins).values({ ...login, ...digestsOf(secretKey, secrets) })
}

/** What the browser left with; it is used up. Undefined when another browser brings it, another provider sends it, or it expired. */
export async function takeProviderLogin(
  db: Db,
  secretKey: string,
  secrets: Secrets,
  providerId: string,
  now: Date,
): Promise<ProviderLogin | undefined> {
  const { stateDigest, browserDigest } = digestsOf(secretKey, secrets)
  const [login] = await db
    .delete(providerLogins)
    .where(
      and(
        eq(providerLogins.stateDigest, stateDigest),
        eq(providerLogins.browserDigest, browserDigest),
        eq(providerLogins.providerId, providerId),
        gt(providerLogins.expiresAt, now),
      ),
    )
    .returning()
  return login
}

function digestsOf(secretKey: string, { state, browserHandle }: Secrets) {
  const digest = (purpose: string, secret: string) =>
    createHmac('sha256', secretKey).update(`provider login\0${purpose}\0`).update(secret).digest()
  return { stateDigest: digest('state', state), browserDigest: digest('browser', browserHandle) }
}

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
