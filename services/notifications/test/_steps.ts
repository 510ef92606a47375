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

/** The steps in which the database executed statements. */
export type Steps = {
  indexes: string[]
  /** Tables that were scanned sequentially. */
  scanned: string[]
  /** The largest number of rows that a step read. */
  max: number
}

const stepsOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(stepsOf)]

/**
 * Runs a function of the store under EXPLAIN, so that its queries return no rows, and rolls it back. Returns the steps
 * of the database.
 */
export async function stepsDone(db: Db, run: (tx: Tx) => Promise<unknown>): Promise<Steps> {
  const steps: Plan[] = []
  const rolledBack = new Error('roll back')
  const done = db.transaction(async (tx) => {
    const execute = async (statement: SQL) => {
      const { rows } = await tx.execute(sql`explain (analyze, format json) ${statement}`)
      for (const { Plan } of rows[0]?.['QUERY PLAN'] as { Plan: Plan }[]) steps.push(...stepsOf(Plan))
      return { rows: [], fields: [] }
    }
    await run({ execute } as unknown as Tx)
    throw rolledBack
  })
  await done.catch((error: unknown) => {
    if (error !== rolledBack) throw error
  })
  const looked = (step: Plan) => (step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0)) * step['Actual Loops']
  return {
    indexes: steps.flatMap((step) => step['Index Name'] ?? []),
    scanned: steps.flatMap((step) => (step['Node Type'] === 'Seq Scan' ? (step['Relation Name'] ?? []) : [])),
    max: Math.max(...steps.map(looked)),
  }
}
