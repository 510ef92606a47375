import { ne } from 'drizzle-orm'
import type { Db, Tx } from '@parley/postgres'
import { permissionDecisions, policyState, roles } from './schema.ts'

export type DecisionRow = typeof permissionDecisions.$inferSelect
export type PolicyRows = { revision: bigint; roles: (typeof roles.$inferSelect)[]; decisions: DecisionRow[] }

/** Roles and decisions as of one moment, with the revision of that moment. */
export async function getPolicy(db: Db): Promise<PolicyRows> {
  return db.transaction(
    async (tx) => {
      const [state] = await tx.select().from(policyState)
      if (!state) throw new Error('the policy was never seeded')
      return {
        revision: state.revision,
        roles: await tx.select().from(roles),
        decisions: await tx.select().from(permissionDecisions),
      }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

/** The revision now; nobody else can change the policy before this transaction ends. */
export async function lockPolicy(tx: Tx): Promise<bigint> {
  const [state] = await tx.select().from(policyState).for('update')
  if (!state) throw new Error('the policy was never seeded')
  return state.revision
}

export async function storeRevision(tx: Tx, revision: bigint): Promise<void> {
  await tx.update(policyState).set({ revision })
}

/** Stores a decision; answers false when it stood already. */
export async function storeDecision(tx: Tx, row: DecisionRow): Promise<boolean> {
  const { scopeKind, scopeId, subjectKind, subjectId, permission, decision } = permissionDecisions
  const written = await tx
    .insert(permissionDecisions)
    .values(row)
    .onConflictDoUpdate({
      target: [scopeKind, scopeId, subjectKind, subjectId, permission],
      set: { decision: row.decision },
      setWhere: ne(decision, row.decision),
    })
    .returning({ permission })
  return written.length > 0
}
