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
  concerns?: DeliveryInit['audience']
}

/**
 * `change` is undefined if nothing changed; `stands` repeats the current state for processes with an outdated state.
 */
export type Decided<T> = { change: PolicyChange | undefined; stands?: PolicyChange['delta']; answer: T }

export type PolicyChanged<T> = {
  answer: T
  revision: bigint
  changed: boolean
  /** Entries for the audit log. */
  audited: bigint[]
  /**
   * Outbox entries of the policy that are not on the stream yet, including earlier ones: a repeated call that changes
   * nothing waits for the entries of the first one.
   */
  unannounced: bigint[]
}

/**
 * Runs a change of roles or decisions under the lock of the policy, with its events. The next revision is above the
 * stored one and above all that others have seen. If theirs is higher, the database was restored: then a revision with
 * the current state is announced even if nothing changes, and others load the whole policy.
 */
export async function changePolicy<T>(
  db: Db,
  by: { actorId: string; at: Date; above: bigint },
  decide: (tx: Tx, revision: bigint) => Promise<Decided<T>>,
): Promise<PolicyChanged<T>> {
  return db.transaction(async (tx) => {
    const before = await lockPolicy(tx)
    const { change: made, stands = {}, answer } = await decide(tx, before)
    const change: PolicyChange | undefined = made ?? (by.above > before ? { delta: stands, events: [] } : undefined)
    if (!change) return { answer, revision: before, changed: false, audited: [], unannounced: await unannounced(tx) }
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
      deliveries: change.concerns ? [{ envelope, audience: change.concerns }] : [],
    })
    const audited = await enqueue(
      tx,
      change.events.map((event) => ({ ...common, ...event, aggregateType: 'rbac' as const })),
    )
    return { answer, revision, changed: true, audited, unannounced: await unannounced(tx) }
  })
}

async function unannounced(tx: Tx): Promise<bigint[]> {
  const entries = await tx
    .select({ id: outbox.id })
    .from(outbox)
    .where(and(eq(outbox.aggregate, 'policy.server'), isNull(outbox.relayedAt)))
    .orderBy(asc(outbox.id))
  return entries.map(({ id }) => id)
}
