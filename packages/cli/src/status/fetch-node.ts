import { get, type IncomingMessage } from 'node:http'
import type { ProcessStatus } from '@parley/runtime'
import { largest, total } from './samples.ts'

const responseTimeoutMs = 3_000

/** Several times the size of the largest metrics page. */
const maxResponseBytes = 16 * 1024 ** 2

export type FleetNode = {
  at: string
  state: 'ready' | 'not ready' | 'unreachable'
  /** Why it is not ready, or why it could not be queried. */
  reasons: string[]
  outages: string[]
  /** The name is empty if the process cannot be reached and its name is not known. */
  service: string
  host: string
  version: string
  startedAt: string
  sockets: number | null
  /** Age of the oldest event that the stream has not stored yet, in seconds. */
  outboxAgeSeconds: number | null
  pending: number | null
  parked: number | null
  memoryBytes: number | null
  lastErrors: ProcessStatus['lastErrors']
}

export type NodeAddress = { host: string; port: number; service?: string }

export async function fetchNode({ host, port, service = '' }: NodeAddress): Promise<FleetNode> {
  const at = `${host.includes(':') ? `[${host}]` : host}:${port}`
  try {
    const [status, metrics] = await Promise.all([fetchText(host, port, '/status'), fetchText(host, port, '/metrics')])
    const { ready, ...report } = readStatus(status)
    return {
      ...{
        at,
        state: ready ? 'ready' : 'not ready',
        reasons: report.reasons,
        outages: report.outages ?? [],
        service: report.service,
        host: report.host,
      },
      ...{ version: report.version, startedAt: report.startedAt, lastErrors: report.lastErrors },
      sockets: total(metrics, 'parley_realtime_sockets'),
      outboxAgeSeconds: largest(metrics, 'parley_outbox_age_seconds'),
      pending: total(metrics, 'parley_consumer_pending'),
      parked: total(metrics, 'parley_consumer_parked_waiting'),
      memoryBytes: total(metrics, 'process_memory_usage_bytes'),
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return {
      ...{ at, state: 'unreachable', reasons: [reason], outages: [], service, host: '', version: '', startedAt: '' },
      ...{ sockets: null, outboxAgeSeconds: null, pending: null, parked: null, memoryBytes: null, lastErrors: [] },
    }
  }
}

/** Throws if the response is not from a Parley process. */
function readStatus(body: string): ProcessStatus {
  let status: unknown
  try {
    // Line breaks could forge lines of the table.
    status = JSON.parse(body, (_, value: unknown) =>
      typeof value === 'string' ? value.replaceAll(/[\n\r\u2028\u2029]+/g, ' ') : value,
    )
  } catch {
    status = undefined
  }
  if (isStatus(status)) return status
  throw new Error('the response is not from a Parley process')
}

const isStatus = (value: unknown): value is ProcessStatus =>
  hasTexts(value, 'service', 'version', 'host', 'startedAt') &&
  !Number.isNaN(Date.parse(String(value['startedAt']))) &&
  typeof value['ready'] === 'boolean' &&
  isListOf(value['reasons'], (reason) => typeof reason === 'string') &&
  isListOf(value['outages'] ?? [], (outage) => typeof outage === 'string') &&
  isListOf(value['lastErrors'], (error) => hasTexts(error, 'at', 'message', 'error'))

const hasTexts = (value: unknown, ...names: string[]): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  names.every((name) => typeof (value as Record<string, unknown>)[name] === 'string')

const isListOf = (value: unknown, isOne: (element: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isOne)

/** Uses a direct connection: `fetch` would use the proxy from the environment. */
function fetchText(host: string, port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(responseTimeoutMs)
    const request = get({ host, port, path, agent: false, signal }, (response) => {
      if (response.statusCode === 200) return void limitedText(response).then(resolve, reject)
      response.resume()
      reject(new Error(`${path} returned ${response.statusCode}`))
    })
    request.on('error', reject)
  })
}

/** Throws if the response is too large; leaving the loop closes the connection. */
async function limitedText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxResponseBytes) throw new Error('the response is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
