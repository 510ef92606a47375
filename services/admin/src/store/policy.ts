import { and, eq, ne, type SQL } from 'drizzle-orm'
import type { Db, Reader, Tx } from '@parley/postgres'
import { permissionDecisions, policyState, roles } from './schema.ts'

export type DecisionRow = typeof permissionDecisions.$inferSelect
export type DecisionKey = Omit<DecisionRow, 'decision'>
export type PolicyRows = { revision: bigint; roles: (typeof roles.$inferSelect)[]; decisions: DecisionRow[] }

/** Reads all tables in one snapshot. */
export async function getPolicy(db: Db): Promise<PolicyRows> {
  return db.transaction(async (tx) => ({ revision: await getRevision(tx), ...(await readPolicy(tx)) }), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  })
}

export async function readPolicy(reader: Reader): Promise<Omit<PolicyRows, 'revision'>> {
  return { roles: await reader.select().from(roles), decisions: await reader.select().from(permissionDecisions) }
}

export async function getRevision(reader: Reader): Promise<bigint> {
  return revisionOf(await reader.select().from(policyState))
}

/** Returns the revision and locks the policy until the transaction ends. */
export async function lockPolicy(tx: Tx): Promise<bigint> {
  return revisionOf(await tx.select().from(policyState).for('update'))
}

function revisionOf([state]: { revision: bigint }[]): bigint {
  if (!state) throw new Error('the policy was never seeded')
  return state.revision
}

export async function storeRevision(tx: Tx, revision: bigint): Promise<void> {
  await tx.update(policyState).set({ revision })
}

/** False if the decision was already stored. */
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

export async function clearDecision(tx: Tx, key: DecisionKey): Promise<boolean> {
  const cleared = await tx.delete(permissionDecisions).where(hasKey(key)).returning()
  return cleared.length > 0
}

export async function clearDecisionsOf(
  tx: Tx,
  subject: Pick<DecisionKey, 'subjectKind' | 'subjectId'>,
): Promise<DecisionKey[]> {
  const { subjectKind, subjectId } = permissionDecisions
  return tx
    .delete(permissionDecisions)
    .where(and(eq(subjectKind, subject.subjectKind), eq(subjectId, subject.subjectId)))
    .returning()
}

export async function clearDecisionsAt(tx: Tx, scope: { kind: 'group'; id: string }): Promise<DecisionKey[]> {
  const { scopeKind, scopeId } = permissionDecisions
  return tx
    .delete(permissionDecisions)
    .where(and(eq(scopeKind, scope.kind), eq(scopeId, scope.id)))
    .returning()
}

function hasKey(key: DecisionKey): SQL | undefined {
  const { scopeKind, scopeId, subjectKind, subjectId, permission } = permissionDecisions
  return and(
    eq(scopeKind, key.scopeKind),
    eq(scopeId, key.scopeId),
    eq(subjectKind, key.subjectKind),
    eq(subjectId, key.subjectId),
    eq(permission, key.permission),
  )
}
