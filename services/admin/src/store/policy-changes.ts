import { enqueue, nextVersion, encodeRealtimeEnvelope, type DeliveryInit } from '@parley/events'
import { newId } from '@parley/ids'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { PolicyDeltaSchema } from '@parley/contracts/internal'
import type { Db, Tx } from '@parley/postgres'
import { and, asc, eq, isNull } from 'drizzle-orm'
import type { RbacEvent } from '../domain/rbac-events.ts'
import { lockPolicy, storeRevision } from './policy.ts'
import { outbox } from './schema.ts'

/** `delta` is for the processes that follow the policy, `events` for the audit log. */
export type PolicyChange = {
  delta: Pick<MessageInitShape<typeof PolicyDeltaSchema>, 'roles' | 'deletedRoleIds' | 'decisions'>
  events: RbacEvent[]
  /** Users whose clients must reload their permissions; default: nobody. */
  audience?: DeliveryInit['audience']
}

/**
 * `change`: undefined if nothing changed. `deltaAfterRestore`: announced if nothing changed, but other processes have a
 * newer policy, which this database has lost.
 */
export type PolicyChangeResult<T> = {
  change: PolicyChange | undefined
  deltaAfterRestore?: PolicyChange['delta']
  answer: T
}

export type CommittedPolicyChange<T> = {
  answer: T
  revision: bigint
  /** After a restore of the database, the revision may be raised without a change. */
  revisionRaised: boolean
  auditEntries: bigint[]
  /**
   * Outbox entries of the policy that are not on the stream yet, including earlier ones: a repeated call that changes
   * nothing waits for these.
   */
  unpublished: bigint[]
}

/**
 * `by.highestKnown`: the highest revision that another process is known to have. If it is higher than the stored one,
 * the database was restored, and a revision above `highestKnown` is announced even if nothing changes.
 */
export async function changePolicy<T>(
  db: Db,
  by: { actorId: string; at: Date; highestKnown: bigint },
  decide: (tx: Tx, revision: bigint) => Promise<PolicyChangeResult<T>>,
): Promise<CommittedPolicyChange<T>> {
  return db.transaction(async (tx) => {
    const before = await lockPolicy(tx)
    const { change: decided, deltaAfterRestore = {}, answer } = await decide(tx, before)
    const change: PolicyChange | undefined =
      decided ?? (by.highestKnown > before ? { delta: deltaAfterRestore, events: [] } : undefined)
    if (!change)
      return {
        answer,
        revision: before,
        revisionRaised: false,
        auditEntries: [],
        unpublished: await findUnpublished(tx),
      }
    const revision = nextVersion(by.highestKnown > before ? by.highestKnown : before, by.at)
    await storeRevision(tx, revision)
    const common = { version: revision, occurredAt: by.at, actorId: by.actorId }
    const id = newId('event')
    const envelope = encodeRealtimeEnvelope('permissions_changed', {
      id,
      createdAt: by.at,
      actorId: by.actorId,
      value: {},
    })
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
    return { answer, revision, revisionRaised: true, auditEntries, unpublished: await findUnpublished(tx) }
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
