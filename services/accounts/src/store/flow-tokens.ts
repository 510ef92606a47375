import { and, eq, gt, inArray, lt } from 'drizzle-orm'
import { secretDigest, secretDigests, type SecretKeys } from '@parley/auth'
import { newHandle, newToken } from '@parley/ids'
import type { Db, Reader, Tx } from '@parley/postgres'
import { flowTokens } from './schema.ts'

export type FlowToken = typeof flowTokens.$inferSelect
export type FlowPurpose = FlowToken['purpose']
/** What tokens are looked up with, and the moment of asking. */
type Asking = SecretKeys & { at: Date }

/** Makes a capability of a few minutes; the token is shown once and stored as a digest. */
export async function issueFlowToken(
  db: Reader,
  { at, ...keys }: Asking,
  flow: Pick<FlowToken, 'purpose' | 'userId' | 'payload'> & { ttlMs: number },
): Promise<string> {
  const { purpose, userId, payload, ttlMs } = flow
  const token = purpose === 'authorization_code' ? newToken('authorizationCode') : newHandle()
  const digest = secretDigest(keys, 'flow', purpose, token)
  const expiresAt = new Date(at.getTime() + ttlMs)
  await db.insert(flowTokens).values({ digest, purpose, userId, payload, createdAt: at, expiresAt })
  return token
}

/** What a token stands for; undefined when it is unknown, used, expired or of another purpose. */
export async function peekFlowToken(
  db: Reader,
  { at, ...keys }: Asking,
  purpose: FlowPurpose,
  token: string,
): Promise<FlowToken | undefined> {
  const [row] = await db
    .select()
    .from(flowTokens)
    .where(and(isToken(keys, purpose, token), gt(flowTokens.expiresAt, at)))
  return row
}

/** The same, and the token is used up: of several that take it at once, one gets it. */
export async function takeFlowToken(
  tx: Tx,
  { at, ...keys }: Asking,
  purpose: FlowPurpose,
  token: string,
): Promise<FlowToken | undefined> {
  const [row] = await tx
    .delete(flowTokens)
    .where(isToken(keys, purpose, token))
    .returning()
  return row && row.expiresAt > at ? row : undefined
}

/** Voids what a user has begun and not finished. */
export async function deleteFlowTokensOf(tx: Tx, userId: string): Promise<void> {
  await tx.delete(flowTokens).where(eq(flowTokens.userId, userId))
}

/** Deletes up to `atOnce` expired tokens; answers how many there were. */
export async function deleteExpiredFlowTokens(db: Db, now: Date, atOnce: number): Promise<number> {
  const expired = db
    .select({ digest: flowTokens.digest })
    .from(flowTokens)
    .where(lt(flowTokens.expiresAt, now))
    .limit(atOnce)
    .for('update', { skipLocked: true })
  return (await db.delete(flowTokens).where(inArray(flowTokens.digest, expired))).rowCount ?? 0
}

const isToken = (keys: SecretKeys, purpose: FlowPurpose, token: string) =>
  inArray(flowTokens.digest, secretDigests(keys, 'flow', purpose, token))
