import { isRecording, markFailed, withSpan } from '@parley/telemetry'
import type { LeasedPush } from '../../store/push-leases.ts'
import type { Answer } from './answer.ts'

type Traced = Pick<LeasedPush, 'action' | 'traceparent'>

/** The span belongs to the traces of the pushes. Without a recorded trace, there is no span. */
export function prepareSpan<T>(pushes: readonly Traced[], prepare: () => Promise<T>): Promise<T> {
  const joined = isRecording() ? pushes.map(({ traceparent }) => traceparent).filter((one) => one !== '') : []
  if (joined.length === 0) return prepare()
  return withSpan('prepare pushes', { joined, attributes: { 'parley.push.count': pushes.length } }, prepare)
}

export function sendSpan({ action, traceparent }: Traced, send: () => Promise<Answer>): Promise<Answer> {
  if (traceparent === '' || !isRecording()) return send()
  const attributes = { 'http.request.method': 'POST', 'parley.peer': 'push', 'parley.action': action }
  return withSpan('POST push', { kind: 'client', parent: traceparent, attributes }, async (span) => {
    const answer = await send()
    span.setAttribute('parley.outcome', answer.outcome)
    if (answer.outcome === 'busy') markFailed(span, 'busy')
    return answer
  })
}
