import { and, eq, exists, gt, inArray, isNull, lt, or } from 'drizzle-orm'
import { secretDigest, secretDigests, type SecretKeys } from '@parley/credentials'
import { newHandle, newToken } from '@parley/ids'
import type { Db, Reader, Tx } from '@parley/postgres'
import { flowTokens, users } from './schema.ts'

export type FlowToken = typeof flowTokens.$inferSelect
export type FlowPurpose = FlowToken['purpose']
export type TokenContext = SecretKeys & { at: Date }

/** `authGeneration`: the user's generation when the flow began. */
export type FlowUser = { id: string; authGeneration: number }

export type NewFlow = Pick<FlowToken, 'purpose' | 'payload'> & {
  user?: FlowUser
  ttlMs: number
}

/** Returns the token, of which only a digest is stored. */
export async function issueFlowToken(db: Db | Tx, { at, ...keys }: TokenContext, flow: NewFlow): Promise<string> {
  const { purpose, payload, ttlMs, user = { id: '', authGeneration: null } } = flow
  const token = purpose === 'authorization_code' ? newToken('authorizationCode') : newHandle()
  const digest = secretDigest(keys, 'flow', purpose, token)
  const expiresAt = new Date(at.getTime() + ttlMs)
  await db.insert(flowTokens).values({
    ...{ digest, purpose, payload, expiresAt },
    ...{ userId: user.id, authGeneration: user.authGeneration, createdAt: at },
  })
  return token
}

/**
 * Undefined if the token is unknown, used, expired, for another purpose, or from an earlier auth generation of its
 * user.
 */
export async function peekFlowToken(
  db: Reader,
  { at, ...keys }: TokenContext,
  purpose: FlowPurpose,
  token: string,
): Promise<FlowToken | undefined> {
  const [row] = await db
    .select()
    .from(flowTokens)
    .where(and(isToken(db, keys, purpose, token), gt(flowTokens.expiresAt, at)))
  return row
}

/** Like {@link peekFlowToken}, and uses up the token: of several concurrent calls, one gets the flow. */
export async function takeFlowToken(
  tx: Tx,
  { at, ...keys }: TokenContext,
  purpose: FlowPurpose,
  token: string,
): Promise<FlowToken | undefined> {
  const [row] = await tx
    .delete(flowTokens)
    .where(isToken(tx, keys, purpose, token))
    .returning()
  return row && row.expiresAt > at ? row : undefined
}

export async function deleteFlowTokensOf(tx: Tx, userId: string, purpose?: FlowPurpose): Promise<void> {
  await tx
    .delete(flowTokens)
    .where(and(eq(flowTokens.userId, userId), purpose === undefined ? undefined : eq(flowTokens.purpose, purpose)))
}

export async function deleteExpiredFlowTokens(db: Db, now: Date, limit: number): Promise<number> {
  const expired = db
    .select({ digest: flowTokens.digest })
    .from(flowTokens)
    .where(lt(flowTokens.expiresAt, now))
    .limit(limit)
    .for('update', { skipLocked: true })
  return (await db.delete(flowTokens).where(inArray(flowTokens.digest, expired))).rowCount ?? 0
}

/** A token from an earlier auth generation may still be stored, but does not match. */
const isToken = (db: Reader, keys: SecretKeys, purpose: FlowPurpose, token: string) =>
  and(
    inArray(flowTokens.digest, secretDigests(keys, 'flow', purpose, token)),
    or(
      isNull(flowTokens.authGeneration),
      exists(
        db
          .select({ id: users.id })
          .from(users)
          .where(and(eq(users.id, flowTokens.userId), eq(users.authGeneration, flowTokens.authGeneration))),
      ),
    ),
  )
