import type { Fleet } from '@parley/local'
import { readBudgets } from '../cost/budgets.ts'
import { measuredCalls, unmeasuredReads } from '../cost/calls.ts'
import { createBenchmarkData } from '../cost/benchmark-data.ts'
import type { CallFloors } from '../floors/call-floors.ts'
import type { HttpCaller } from '../load/http-caller.ts'
import { measureCall, type CallCosts } from '../load/call-costs.ts'
import { time } from '../load/timing.ts'
import type { Report } from '../report.ts'
import { measurePageLoad } from './page-load.ts'

const warmUp = { seconds: 1, inFlight: 8 }

type Row = { name: string; costs: CallCosts; ratio: number; budget: number | undefined }

/**
 * Measures rate, latency and CPU time of the whole fleet for the {@link measuredCalls} that BENCH_CALLS selects
 * (default: all). `http` is signed in as `owner`, and needs 64 connections.
 */
export async function measureCosts(
  fleet: Fleet,
  http: HttpCaller,
  { owner, floors }: { owner: { login: string }; floors: CallFloors },
  report: Report,
): Promise<void> {
  const budgets = readBudgets()
  const data = await createBenchmarkData(fleet, http, owner)
  const floor = floors.select[1].cpu.ms
  report.add('floor: node:http, processor time of a request', floors.http[1].cpu.ms, 'ms')
  report.add('floor: node:http and one SELECT, processor time of a request', floor, 'ms')
  report.add('floor: node:http, one hop and one SELECT, processor time of a request', floors.hop[1].cpu.ms, 'ms')

  const all = measuredCalls(http, data)
  const measured = selectCalls(all)
  // Otherwise the first calls would include the time to compile the code that all calls share.
  for (const { make } of measured) await time(make, { ...warmUp, warmUpSeconds: 0 })
  const rows: Row[] = []
  for (const { name, callsPerRun, settleMs, make } of measured) {
    const hasBudget = budgets.has(name)
    const costs = await measureCall(make, { callsPerRun, settleMs, hasBudget, services: fleet.services })
    rows.push({ name, costs, ratio: costs[1].cpu.ms / floor, budget: budgets.get(name) })
    for (const inFlight of [1, 8, 64] as const) {
      const cost = costs[inFlight]
      if (!cost) continue
      const label = inFlight === 1 ? name : `${name}, ${inFlight} in flight`
      const multiple = budgets.get(label)
      report.record(`${label} p50`, cost.p50, 'ms', { floor: floors.hop[inFlight]?.p50 })
      const budget = multiple === undefined ? undefined : multiple * floor
      report.recordCpu(`${label}, processor time of a call`, cost.cpu, { floor, budget })
      report.record(label, cost.perSecond, '1/s', { floor: floors.hop[inFlight]?.perSecond })
    }
  }
  print(rows, floors.hop, fleet)
  await measurePageLoad(all, report)
  for (const [name, reason] of unmeasuredReads) console.log(`not measured: ${name}: ${reason}`)
}

function selectCalls<T extends { name: string }>(calls: readonly T[]): readonly T[] {
  const parts = process.env['BENCH_CALLS']?.split(',')
  if (!parts) return calls
  const unknown = parts.filter((part) => !calls.some(({ name }) => name.includes(part)))
  if (unknown.length > 0)
    throw new Error(`BENCH_CALLS: no call has a name with ${unknown.join(' or ')}; make profile lists all calls`)
  return calls.filter(({ name }) => parts.some((part) => name.includes(part)))
}

function print(rows: readonly Row[], hop: CallCosts, fleet: Fleet): void {
  const names = new Set(fleet.services.map(({ name }) => name))
  const head = ['call', 'p50 ms', '1/s', '8: 1/s', '64: 1/s', 'CPU ms', '8: ms', 'x SELECT', 'budget', 'CPU ms of']
  const figures = ({ 1: one, 8: some, 64: many }: CallCosts) => [
    ...[
      one.p50.toFixed(2),
      one.perSecond.toFixed(0),
      some?.perSecond.toFixed(0) ?? '',
      many?.perSecond.toFixed(0) ?? '',
    ],
    ...[one.cpu.ms.toFixed(2), some?.cpu.ms.toFixed(2) ?? ''],
  ]
  const lines = rows
    .toSorted((a, b) => b.ratio - a.ratio)
    .map(({ name, costs, ratio, budget }) => [
      ...[name, ...figures(costs), ratio.toFixed(1), budget?.toFixed(1) ?? ''],
      mostExpensive(costs[1].cpu.processes, names),
    ])
  const table = [head, ['floor: hop and SELECT', ...figures(hop)], ...lines]
  const widths = head.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)))
  for (const [name = '', ...cells] of table) {
    const padded = cells.map((cell, n) =>
      n === cells.length - 1 && cells.length > 8 ? cell : cell.padStart(widths[n + 1] ?? 0),
    )
    console.log([name.padEnd(widths[0] ?? 0), ...padded].join('  '))
  }
}

/** PostgreSQL, NATS and Redis count as one: `servers`. */
function mostExpensive(processes: Readonly<Record<string, number>>, services: ReadonlySet<string>): string {
  const sums = new Map<string, number>()
  for (const [process, ms] of Object.entries(processes)) {
    const name = services.has(process) ? process : 'servers'
    sums.set(name, (sums.get(name) ?? 0) + ms)
  }
  return [...sums]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 4)
    .map(([name, ms]) => `${name} ${ms.toFixed(2)}`)
    .join(', ')
}
