import type { Bus } from '@parley/rpc'
import { eventStream } from '../subjects.ts'

/** `storedAt`: in milliseconds since 1970. */
export type StoredMessage = { seq: number; storedAt: number; data: Uint8Array }

/**
 * Reads one message from any replica; undefined if that replica does not have it. Rejects if nobody answers in time,
 * for example because the stream is missing.
 */
export async function directGet(
  bus: Bus,
  query: { seq: number } | { last_by_subj: string },
  timeoutMs = 500,
): Promise<StoredMessage | undefined> {
  const subject = `$JS.API.DIRECT.GET.${eventStream}`
  const { headers, data } = await bus.nc.request(subject, JSON.stringify(query), { timeout: timeoutMs })
  const seq = Number(headers?.get('Nats-Sequence'))
  const storedAt = Date.parse(headers?.get('Nats-Time-Stamp') ?? '')
  return seq > 0 ? { seq, storedAt, data } : undefined
}
