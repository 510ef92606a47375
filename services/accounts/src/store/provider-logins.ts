import { and, eq, gt, inArray, lt } from 'drizzle-orm'
import { secretDigest, secretDigests, type SecretKeys } from '@parley/credentials'
import type { Db, Tx } from '@parley/postgres'
import type { TokenContext } from './flow-tokens.ts'
import { providerLogins } from './schema.ts'

type Row = typeof providerLogins.$inferSelect
export type ProviderLogin = Omit<Row, 'stateDigest' | 'browserDigest'>
/** The callback must contain the state in its query and the handle in the browser's cookie. */
type Secrets = { state: string; browserHandle: string }

export async function insertProviderLogin(
  tx: Tx,
  keys: SecretKeys,
  { state, browserHandle }: Secrets,
  login: ProviderLogin,
): Promise<void> {
  const stateDigest = secretDigest(keys, ...stateDigestInput(state))
  const browserDigest = secretDigest(keys, ...browserDigestInput(browserHandle))
  await tx.insert(providerLogins).values({ ...login, stateDigest, browserDigest })
}

/**
 * Deletes and returns the attempt. Undefined if the state is unknown, or the callback comes from another browser or
 * provider, or too late.
 */
export async function takeProviderLogin(
  db: Db,
  { at, ...keys }: TokenContext,
  { state, browserHandle }: Secrets,
  providerId: string,
): Promise<ProviderLogin | undefined> {
  const [login] = await db
    .delete(providerLogins)
    .where(
      and(
        inArray(providerLogins.stateDigest, secretDigests(keys, ...stateDigestInput(state))),
        inArray(providerLogins.browserDigest, secretDigests(keys, ...browserDigestInput(browserHandle))),
        eq(providerLogins.providerId, providerId),
        gt(providerLogins.expiresAt, at),
      ),
    )
    .returning()
  return login
}

const stateDigestInput = (state: string) => ['provider login', 'state', state] as const
const browserDigestInput = (handle: string) => ['provider login', 'browser', handle] as const

export async function deleteExpiredProviderLogins(db: Db, now: Date, limit: number): Promise<number> {
  const expired = db
    .select({ digest: providerLogins.stateDigest })
    .from(providerLogins)
    .where(lt(providerLogins.expiresAt, now))
    .limit(limit)
    .for('update', { skipLocked: true })
  return (await db.delete(providerLogins).where(inArray(providerLogins.stateDigest, expired))).rowCount ?? 0
}
