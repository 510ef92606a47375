import type { Connection } from '@parley/postgres'
import type pg from 'pg'

type Plan = {
  'Node Type': string
  'Index Name'?: string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}

export type PlanSummary = {
  indexes: string[]
  scanned: string[]
  /** The highest number of rows that a plan node returned. */
  rows: number
  /** The highest number of rows that a plan node returned in all its loops. */
  returnedInLoops: number
  /** The same with the rows that a filter removed. */
  rowsInLoops: number
  /** Rows read, by table. */
  rowsOf: Record<string, number>
  blocks: number
}

/** Explains each statement of a store function, and rolls it back. */
export async function explainStatements(
  pool: pg.Pool,
  run: (on: Connection) => Promise<unknown>,
): Promise<PlanSummary> {
  const summary: PlanSummary = {
    indexes: [],
    scanned: [],
    rows: 0,
    returnedInLoops: 0,
    rowsInLoops: 0,
    rowsOf: {},
    blocks: 0,
  }
  const client = await pool.connect()
  try {
    await client.query('begin')
    const query = async ({ text, values }: { text: string; values: unknown[] }) => {
      await client.query('savepoint before_explain')
      add(summary, await explain(client, text, values))
      await client.query('rollback to before_explain')
      return client.query(text, values)
    }
    await run({ query } as unknown as Connection)
    await client.query('rollback')
  } finally {
    client.release(true)
  }
  return summary
}

/** A prepared statement may have another plan than one with literal values. */
async function explain(client: pg.ClientBase, text: string, values: unknown[]): Promise<Plan> {
  await client.query(`prepare explained as ${text}`)
  const execute = values.length === 0 ? 'explained' : `explained(${values.map(literal).join()})`
  const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
    `explain (analyze, buffers, format json) execute ${execute}`,
  )
  await client.query('deallocate explained')
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
  if (!plan) throw new Error('no plan')
  return plan
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `'{${value.join()}}'`
  if (value instanceof Date) return `'${value.toISOString()}'`
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return `'${value}'`
  return 'null'
}

const rowsInLoops = (plan: Plan): number =>
  (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']

const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]

function add(summary: PlanSummary, plan: Plan): void {
  const all = nodes(plan)
  summary.indexes.push(...all.flatMap((node) => node['Index Name'] ?? []))
  summary.scanned.push(
    ...all.flatMap((node) => (node['Node Type'] === 'Seq Scan' ? (node['Relation Name'] ?? []) : [])),
  )
  summary.rows = Math.max(summary.rows, ...all.map((node) => node['Actual Rows']))
  summary.returnedInLoops = Math.max(
    summary.returnedInLoops,
    ...all.map((node) => node['Actual Rows'] * node['Actual Loops']),
  )
  summary.rowsInLoops = Math.max(summary.rowsInLoops, ...all.map(rowsInLoops))
  for (const { 'Relation Name': table, 'Actual Rows': rows, 'Actual Loops': loops } of all)
    if (table !== undefined) summary.rowsOf[table] = (summary.rowsOf[table] ?? 0) + rows * loops
  summary.blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}
