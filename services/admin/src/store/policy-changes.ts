import { enqueue } from '@parley/events'
import { create } from '@bufbuild/protobuf'
import { PolicyDeltaSchema, type PolicyDecision, type PolicyRole } from '@parley/contracts/internal'
import type { Db, Tx } from '@parley/postgres'
import { and, asc, eq, isNull } from 'drizzle-orm'
import { lockPolicy, storeRevision } from './policy.ts'
import { outbox } from './schema.ts'

/** What a change did, as the delta tells it; undefined when everything stood already. */
export type Changed = { roles?: PolicyRole[]; deletedRoleIds?: string[]; decisions?: PolicyDecision[] } | undefined

export type PolicyChange = { revision: bigint; changed: boolean; unannounced: bigint[] }

/**
 * Runs a change of roles or decisions under the lock of the policy, with the next revision and its event. Answers the outbox
 * entries of the policy that are not on the stream yet: a repeat that finds everything in place waits for them too.
 */
export async function changePolicy(
  db: Db,
  by: { actorId: string; at: Date },
  write: (tx: Tx) => Promise<Changed>,
): Promise<PolicyChange> {
  return db.transaction(async (tx) => {
    const before = await lockPolicy(tx)
    const delta = await write(tx)
    if (!delta) return { revision: before, changed: false, unannounced: await unannounced(tx) }
    const revision = before + 1n
    await storeRevision(tx, revision)
    await enqueue(tx, {
      kind: 'policy_changed',
      aggregateType: 'policy',
      aggregateId: 'server',
      version: revision,
      occurredAt: by.at,
      actorId: by.actorId,
      fact: { case: 'policy', value: create(PolicyDeltaSchema, { ...delta, revision }) },
    })
    return { revision, changed: true, unannounced: await unannounced(tx) }
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
