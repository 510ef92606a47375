import type { DescMethod } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { counter, histogram } from '@parley/telemetry'
import type { NotStartedReason } from './envelope.ts'
import { methodName } from './subjects.ts'

const served = histogram('rpc.server.duration', {
  description: 'Time from arrival to reply of calls, by method and code',
  unit: 's',
})
const queued = histogram('rpc.server.queue_wait', {
  description: 'Time that calls waited for a free slot; calls that did not wait are not counted',
  unit: 's',
})
const leftAlone = counter('rpc.server.not_started', { description: 'Calls answered not_started, by reason' })
const resent = counter('rpc.client.resends', { description: 'Calls sent a second time, by method and reason' })

/** A call was answered. */
export function countServed(method: DescMethod, code: Code | undefined, durationMs: number): void {
  served(durationMs / 1_000, servedLabels(method, code))
}

/** A call got its place after a wait. */
export function countQueued(waitMs: number): void {
  queued(waitMs / 1_000)
}

/** A call was left for another server. */
export function countNotStarted(reason: NotStartedReason): void {
  leftAlone(1, { reason })
}

/** A call was sent once more. */
export function countResend(method: DescMethod, reason: 'not_started' | 'silence'): void {
  resent(1, { method: methodName(method), reason })
}

type Labels = { readonly method: string; readonly code: string }

const known = new Map<DescMethod, Map<Code | undefined, Labels>>()

/** One object per method and code: the hot path makes none. */
function servedLabels(method: DescMethod, code: Code | undefined): Labels {
  const byCode = known.get(method) ?? new Map<Code | undefined, Labels>()
  const labels = byCode.get(code) ?? { method: methodName(method), code: codeName(code) }
  if (!byCode.has(code)) known.set(method, byCode.set(code, labels))
  return labels
}

function codeName(code: Code | undefined): string {
  return code === undefined ? 'ok' : Code[code].replace(/[A-Z]/g, (c, i) => (i ? '_' : '') + c.toLowerCase())
}
