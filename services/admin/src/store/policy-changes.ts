import { enqueue, nextVersion, realtimeEnvelope, type DeliveryInit } from '@parley/events'
import { newId } from '@parley/ids'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { PolicyDeltaSchema } from '@parley/contracts/internal'
import type { Db, Tx } from '@parley/postgres'
import { and, asc, eq, isNull } from 'drizzle-orm'
import type { RbacEvent } from '../domain/rbac-events.ts'
import { lockPolicy, storeRevision } from './policy.ts'
import { outbox } from './schema.ts'

/** A change, for the processes that follow the policy and for the audit log. */
export type PolicyChange = {
  delta: Pick<MessageInitShape<typeof PolicyDeltaSchema>, 'roles' | 'deletedRoleIds' | 'decisions'>
  events: RbacEvent[]
  /** Users whose clients must reload their permissions; default: nobody. */
  audience?: DeliveryInit['audience']
}

/**
 * `change` is undefined if nothing changed. `unchangedState` is then announced if other processes have a newer policy,
 * which is lost here.
 */
export type PolicyChangeResult<T> = {
  change: PolicyChange | undefined
  unchangedState?: PolicyChange['delta']
  answer: T
}

export type CommittedPolicyChange<T> = {
  answer: T
  revision: bigint
  changed: boolean
  /** Outbox entries for the audit log. */
  auditEntries: bigint[]
  /**
   * Outbox entries of the policy that are not on the stream yet, including earlier ones: a repeated call that changes
   * nothing waits for the entries of the first one.
   */
  unpublished: bigint[]
}

/**
 * Runs a change of roles or decisions under the lock of the policy, with its events. The next revision is above the
 * stored one and above every revision that other processes have seen. If theirs is higher, the database was restored:
 * then a new revision is announced even if nothing changes, and they load the whole policy.
 */
export async function changePolicy<T>(
  db: Db,
  by: { actorId: string; at: Date; above: bigint },
  decide: (tx: Tx, revision: bigint) => Promise<PolicyChangeResult<T>>,
): Promise<CommittedPolicyChange<T>> {
  return db.transaction(async (tx) => {
    const before = await lockPolicy(tx)
    const { change: made, unchangedState = {}, answer } = await decide(tx, before)
    const change: PolicyChange | undefined =
      made ?? (by.above > before ? { delta: unchangedState, events: [] } : undefined)
    if (!change)
      return { answer, revision: before, changed: false, auditEntries: [], unpublished: await findUnpublished(tx) }
    const revision = nextVersion(by.above > before ? by.above : before, by.at)
    await storeRevision(tx, revision)
    const common = { version: revision, occurredAt: by.at, actorId: by.actorId }
    const id = newId('event')
    const envelope = realtimeEnvelope('permissions_changed', { id, createdAt: by.at, actorId: by.actorId, value: {} })
    await enqueue(tx, {
      ...common,
      id,
      kind: 'policy_changed',
      aggregateType: 'policy',
      aggregateId: 'server',
      fact: { case: 'policy', value: create(PolicyDeltaSchema, { ...change.delta, revision, baseRevision: before }) },
      deliveries: change.audience ? [{ envelope, audience: change.audience }] : [],
    })
    const auditEntries = await enqueue(
      tx,
      change.events.map((event) => ({ ...common, ...event, aggregateType: 'rbac' as const })),
    )
    return { answer, revision, changed: true, auditEntries, unpublished: await findUnpublished(tx) }
  })
}

async function findUnpublished(tx: Tx): Promise<bigint[]> {
  const entries = await tx
    .select({ id: outbox.id })
    .from(outbox)
    .where(and(eq(outbox.aggregate, 'policy.server'), isNull(outbox.relayedAt)))
    .orderBy(asc(outbox.id))
  return entries.map(({ id }) => id)
}
