import { compactDeployables, deployableNames } from '@parley/contracts/deployables'
import type { FleetNode } from './fetch-node.ts'

export type FleetStatus = {
  at: string
  /** Every deployable has a ready process, every process is ready, and none reports an outage. */
  ready: boolean
  missing: string[]
  /** Several during an upgrade. */
  versions: string[]
  nodes: FleetNode[]
}

export function fleetStatus(nodes: FleetNode[]): FleetStatus {
  const order = ['compact', ...deployableNames]
  const sorted = nodes.toSorted(
    (one, other) => order.indexOf(one.service) - order.indexOf(other.service) || (one.at < other.at ? -1 : 1),
  )
  const running = new Set<string>(nodes.map(({ service }) => service))
  if (running.has('compact')) for (const name of compactDeployables) running.add(name)
  const missing = deployableNames.filter((name) => !running.has(name))
  const versions = [...new Set(nodes.map(({ version }) => version).filter((version) => version !== ''))].sort()
  const ready = missing.length === 0 && nodes.every(({ state, outages }) => state === 'ready' && outages.length === 0)
  return { at: new Date().toISOString(), ready, missing, versions, nodes: sorted }
}

const head = ['service', 'node', 'version', 'state', 'up', 'sockets', 'outbox', 'pending', 'parked', 'memory']
const maxErrorsShown = 10

export function asText({ at, missing, versions, nodes }: FleetStatus): string {
  const rows = nodes.map((node) => [
    node.service || '?',
    node.at,
    node.version || '-',
    node.state,
    node.startedAt === '' ? '-' : duration(Date.parse(at) - Date.parse(node.startedAt)),
    showNumber(node.sockets),
    node.outboxAgeSeconds === null ? '-' : `${node.outboxAgeSeconds.toFixed(1)} s`,
    ...[showNumber(node.pending), showNumber(node.parked)],
    node.memoryBytes === null ? '-' : `${Math.round(node.memoryBytes / 1024 ** 2)} MiB`,
  ])
  const notes = [
    ...nodes
      .filter(({ state }) => state !== 'ready')
      .map(
        ({ service, at: where, state, reasons }) => `${service || '?'} at ${where} is ${state}: ${reasons.join('; ')}`,
      ),
    ...nodes
      .filter(({ outages }) => outages.length > 0)
      .map(({ service, at: where, outages }) => `${service || '?'} at ${where}: ${outages.join('; ')}`),
    ...(missing.length > 0 ? [`no process of ${missing.join(', ')}`] : []),
    ...(versions.length > 1 ? [`several versions are running: ${versions.join(', ')}`] : []),
  ]
  const errors = nodes
    .flatMap(({ service, at: where, lastErrors }) => lastErrors.map((error) => ({ ...error, service, where })))
    .sort((one, other) => (one.at < other.at ? 1 : -1))
    .slice(0, maxErrorsShown)
    .map(
      (one) => `${one.at}  ${one.service} at ${one.where}  ${one.message}${one.error === '' ? '' : ` (${one.error})`}`,
    )
  const parts = [[...table([head, ...rows])], notes, errors.length > 0 ? ['last errors:', ...errors] : []]
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

const showNumber = (value: number | null): string => (value === null ? '-' : String(value))

function table(rows: string[][]): string[] {
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))} s`
  if (minutes < 120) return `${minutes} min`
  return minutes < 2_880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} d`
}
