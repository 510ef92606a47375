import type { Db, Tx } from '@parley/postgres'
import { sql, type SQL } from 'drizzle-orm'

type Plan = {
  'Node Type': string
  'Index Name'?: string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

/** What executed statements read, according to their query plans. */
export type PlanSummary = {
  indexes: string[]
  scanned: string[]
  /** The largest number of rows that a plan node read. */
  max: number
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/**
 * Runs a store function with each statement under EXPLAIN ANALYZE, then rolls back; returns what the statements
 * read. The function sees empty results.
 */
export async function explainStatements(db: Db, run: (tx: Tx) => Promise<unknown>): Promise<PlanSummary> {
  const nodes: Plan[] = []
  const rolledBack = new Error('roll back')
  const done = db.transaction(async (tx) => {
    const execute = async (statement: SQL) => {
      const { rows } = await tx.execute(sql`explain (analyze, format json) ${statement}`)
      for (const { Plan } of rows[0]?.['QUERY PLAN'] as { Plan: Plan }[]) nodes.push(...nodesOf(Plan))
      return { rows: [], fields: [] }
    }
    await run({ execute } as unknown as Tx)
    throw rolledBack
  })
  await done.catch((error: unknown) => {
    if (error !== rolledBack) throw error
  })
  const rowsRead = (node: Plan) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
  return {
    indexes: nodes.flatMap((node) => node['Index Name'] ?? []),
    scanned: nodes.flatMap((node) => (node['Node Type'] === 'Seq Scan' ? (node['Relation Name'] ?? []) : [])),
    max: Math.max(...nodes.map(rowsRead)),
  }
}
