import type { Bus } from '@parley/rpc'
import { eventStream } from '../subjects.ts'

/** A message as the stream holds it. */
export type Stored = { seq: number; storedAt: number; data: Uint8Array }

/**
 * Reads one message of the stream from any replica; undefined when that replica does not have it. Rejects when nobody
 * answers in time, as when the stream is missing: by default within 500 ms.
 */
export async function directGet(
  bus: Bus,
  query: { seq: number } | { last_by_subj: string },
  timeoutMs = 500,
): Promise<Stored | undefined> {
  const subject = `$JS.API.DIRECT.GET.${eventStream}`
  const { headers, data } = await bus.nc.request(subject, JSON.stringify(query), { timeout: timeoutMs })
  const seq = Number(headers?.get('Nats-Sequence'))
  const storedAt = Date.parse(headers?.get('Nats-Time-Stamp') ?? '')
  return seq > 0 ? { seq, storedAt, data } : undefined
}
