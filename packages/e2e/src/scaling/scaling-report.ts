import { drawDashboard, type Line } from '../dashboard-picture.ts'
import type { Decision } from './autoscaled-fleet.ts'
import type { CheckedStream, Faults } from './checked-stream.ts'
import type { SampledNode } from './node-samples.ts'

export type ScalingRun = {
  startedAt: number
  endedAt: number
  nodes: readonly SampledNode[]
  decisions: readonly Decision[]
  streams: readonly CheckedStream[]
  posts: number
  faults: Faults
}

const rowMs = 5_000

export function formatTable(run: ScalingRun): string {
  const { startedAt, endedAt, nodes, streams, faults, posts } = run
  const losses = lossesOf(run)
  const header = ['second', ...nodes.map((_, n) => `node ${n + 1}`), 'nodes wanted', 'reconnects']
  const rows = Array.from({ length: Math.ceil((endedAt - startedAt) / rowMs) + 1 }, (_, n) => {
    const at = Math.min(startedAt + n * rowMs, endedAt)
    const reconnects = losses.filter((loss) => loss.at <= at).length
    const wanted = run.decisions.findLast((decision) => decision.at <= at)?.next ?? 1
    const cells = [Math.round((at - startedAt) / 1000), ...nodes.map((node) => socketsAt(node, at) ?? ''), wanted]
    return [...cells, reconnects]
  })
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  const table = [line(header), line(header.map(() => '---:')), ...rows.map(line)].join('\n')
  const reasons = Object.entries(countEach(losses.map(({ reason }) => reason)))
  return `${table}

${streams.length} clients, ${posts} posts. Missed: ${faults.missed}, received twice: ${faults.twice}, out of order: ${faults.outOfOrder}.
Reconnects: ${reasons.map(([reason, count]) => `${count} ${reason}`).join(', ')}. Clients that had to reload: ${streams.filter(({ resets }) => resets.length > 0).length}.`
}

export function drawRun(run: ScalingRun): Promise<Buffer> {
  const { startedAt, endedAt, nodes, decisions } = run
  const seconds = Array.from({ length: Math.floor((endedAt - startedAt) / 1000) }, (_, n) => n)
  const losses = lossesOf(run)
  const sockets = nodes.map((node, n) => ({
    legend: `node ${n + 1}`,
    points: seconds.map((second) => [second, socketsAt(node, startedAt + second * 1000) ?? 0] as const),
  }))
  const wanted: Line = {
    legend: 'nodes',
    points: decisions.map(({ at, next }) => [(at - startedAt) / 1000, next] as const),
  }
  const lost = Object.keys(countEach(losses.map(({ reason }) => reason))).map((reason) => ({
    legend: reason,
    points: seconds.map((second) => {
      const from = startedAt + second * 1000
      return [second, losses.filter((loss) => loss.reason === reason && isWithin(loss.at, from, 1000)).length] as const
    }),
  }))
  return drawDashboard('Realtime nodes scaled from one to three and to two', [
    { title: 'Sockets', unit: '', lines: sockets },
    { title: 'Nodes wanted by the autoscaler', unit: '', lines: [wanted] },
    { title: 'Connections closed by the server, by reason', unit: 'ops', lines: lost },
  ])
}

export const lossesOf = ({ streams }: Pick<ScalingRun, 'streams'>): CheckedStream['losses'] =>
  streams.flatMap(({ losses }) => losses)

export function mostWithin(times: readonly number[], lengthMs: number): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => isWithin(at, from, lengthMs)).length))
}

const isWithin = (at: number, from: number, lengthMs: number) => at >= from && at < from + lengthMs

/** Returns undefined before the first sample of a node and after its end. */
function socketsAt({ sockets, endedAt = Infinity }: SampledNode, at: number): number | undefined {
  return at > endedAt ? undefined : sockets.findLast((sample) => sample.at <= at)?.count
}

function countEach(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}
