import type { DescMethod } from '@bufbuild/protobuf'
import type { Code } from '@connectrpc/connect'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import { methodPath } from '@parley/contracts/catalogue'
import { counter, gauge, histogram } from '@parley/telemetry'
import type { NotStartedReason } from './envelope.ts'

const served = histogram('rpc.server.call.duration', {
  description: 'Time from the arrival of a call, over the bus or in memory, to its answer',
  unit: 's',
  labels: ['rpc.method', 'rpc.response.status_code'],
})
const called = histogram('rpc.client.call.duration', {
  description: 'Time until a call to another deployable was answered or failed',
  unit: 's',
  labels: ['rpc.method', 'rpc.response.status_code'],
})
const queued = histogram('parley.rpc.server.queue.duration', {
  description: 'Time that calls waited for a free slot; calls that did not wait are not counted',
  unit: 's',
})
const notStarted = counter('parley.rpc.server.not_started', {
  description: 'Calls refused with not_started: late, overloaded or draining',
  unit: '{call}',
  labels: ['parley.reason'],
})
const resent = counter('parley.rpc.client.resends', {
  description: 'Calls sent again because a server did not start them or nobody replied',
  unit: '{call}',
  labels: ['rpc.method', 'parley.reason'],
})
const running = gauge('parley.rpc.server.calls', {
  description: 'Calls that a deployable works on now',
  unit: '{call}',
  labels: ['parley.service'],
})
const waiting = gauge('parley.rpc.server.queue.waiting', {
  description: 'Calls that wait for a free slot now',
  unit: '{call}',
  labels: ['parley.service'],
})

export function countServed(method: DescMethod, code: Code | undefined, durationMs: number): void {
  served(durationMs / 1_000, labelsOf(method, code))
}

export function countCalled(method: DescMethod, code: Code | undefined, durationMs: number): void {
  called(durationMs / 1_000, labelsOf(method, code))
}

export function countQueued(waitMs: number): void {
  queued(waitMs / 1_000)
}

export function countNotStarted(reason: NotStartedReason): void {
  notStarted(1, { 'parley.reason': reason })
}

export function countResend(method: DescMethod, reason: 'not_started' | 'silence'): void {
  resent(1, { 'rpc.method': fullName(method), 'parley.reason': reason })
}

/** Reports the numbers of running and waiting calls until disposed. */
export function reportCalls(service: string, read: { running: () => number; waiting: () => number }): Disposable {
  const labels = { 'parley.service': service }
  const gauges = [running(read.running, labels), waiting(read.waiting, labels)]
  return { [Symbol.dispose]: () => gauges.forEach((each) => each[Symbol.dispose]()) }
}

type Labels = { readonly 'rpc.method': string; readonly 'rpc.response.status_code': string }

const known = new Map<DescMethod, Map<Code | undefined, Labels>>()

/** One object per method and code, so that the hot path creates none. */
function labelsOf(method: DescMethod, code: Code | undefined): Labels {
  const byCode = known.get(method) ?? new Map<Code | undefined, Labels>()
  const labels = byCode.get(code) ?? { 'rpc.method': fullName(method), 'rpc.response.status_code': codeName(code) }
  if (!byCode.has(code)) known.set(method, byCode.set(code, labels))
  return labels
}

const fullName = (method: DescMethod): string => methodPath(method).slice(1)

const codeName = (code: Code | undefined): string => (code === undefined ? 'ok' : codeToString(code))
