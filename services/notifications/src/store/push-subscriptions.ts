import { createHash } from 'node:crypto'
import { deleteInBatches, type Db, type Tx } from '@parley/postgres'
import { and, eq, inArray, ne, sql } from 'drizzle-orm'
import { pushJobs, pushSubscriptions } from './schema.ts'

export type NewSubscription = {
  userId: string
  credentialId: string
  endpoint: URL
  p256dh: string
  auth: string
  userAgent: string | undefined
  registeredAt: Date
}

/** Above this number the oldest subscription of a user is deleted. */
const maxPerUser = 20

const digestOf = (endpoint: URL): Buffer => createHash('sha256').update(endpoint.href).digest()

export async function upsertSubscription(
  tx: Tx,
  { endpoint, ...subscription }: NewSubscription,
): Promise<{ isKnown: boolean }> {
  const { userId, credentialId } = subscription
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`parley: subscriptions of ${userId}`}, 0))`)
  const known = await tx
    .select({ id: pushSubscriptions.id })
    .from(pushSubscriptions)
    .where(and(isOwn(userId, endpoint), eq(pushSubscriptions.credentialId, credentialId)))
  const values = { ...subscription, userAgent: subscription.userAgent ?? null, host: endpoint.host }
  const [stored] = await tx
    .insert(pushSubscriptions)
    .values({ ...values, endpoint: endpoint.href, endpointDigest: digestOf(endpoint) })
    .onConflictDoUpdate({ target: pushSubscriptions.endpointDigest, set: values })
    .returning({ id: pushSubscriptions.id })
  if (!stored) throw new Error('the upsert did not return a row')
  // Pushes waiting for the previous owner must not reach the new one.
  await tx.delete(pushJobs).where(and(eq(pushJobs.subscriptionId, stored.id), ne(pushJobs.userId, userId)))
  await tx.execute(sql`
    delete from push_subscriptions where id in (
      select id from push_subscriptions where user_id = ${userId}
      order by registered_at desc, id desc offset ${maxPerUser})`)
  return { isKnown: known.length > 0 }
}

const isOwn = (userId: string, endpoint: URL) =>
  and(eq(pushSubscriptions.endpointDigest, digestOf(endpoint)), eq(pushSubscriptions.userId, userId))

/** Deletes the subscription only if it belongs to the user. */
export async function deleteSubscription(db: Db, userId: string, endpoint: URL): Promise<void> {
  await db.delete(pushSubscriptions).where(isOwn(userId, endpoint))
}

/** `all`: every credential of the user. Subscriptions without a known session end with any credential of the user. */
export type EndedCredentials = { credentialIds: readonly string[]; all: boolean }

const endedOf = (userId: string, { credentialIds, all }: EndedCredentials) => {
  const ended = all ? undefined : inArray(pushSubscriptions.credentialId, [...credentialIds, ''])
  return and(eq(pushSubscriptions.userId, userId), ended)
}

/**
 * Deletes the waiting pushes in batches. Deleting the subscriptions first would delete all their pushes in one cascade,
 * and while a push service is unavailable the pushes of hours are waiting.
 */
export async function deletePushesOfEnded(
  db: Db,
  userId: string,
  ended: EndedCredentials,
  signal?: AbortSignal,
): Promise<void> {
  const subscriptionIds = db.select({ id: pushSubscriptions.id }).from(pushSubscriptions).where(endedOf(userId, ended))
  await deleteInBatches(db, pushJobs, {
    where: inArray(pushJobs.subscriptionId, subscriptionIds),
    ...(signal && { signal }),
  })
}

export async function deleteSubscriptionsOfEnded(
  on: Db | Tx,
  userId: string,
  ended: EndedCredentials,
): Promise<number> {
  return (await on.delete(pushSubscriptions).where(endedOf(userId, ended))).rowCount ?? 0
}

export async function deleteSubscriptions(db: Db, userId: string, signal: AbortSignal): Promise<number> {
  const ended = { credentialIds: [], all: true }
  await deletePushesOfEnded(db, userId, ended, signal)
  return await deleteSubscriptionsOfEnded(db, userId, ended)
}
