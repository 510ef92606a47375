import { nanos, type Msg } from 'nats'

const encoder = new TextEncoder()
const ack = encoder.encode('+ACK')

export type Delivery = {
  attempts: number
  seq: number
  /** Position of this delivery among all deliveries of this consumer, counted from 1 without gaps. */
  consumerSeq: number
  storedAtMs: number
  pending: number
}

/**
 * Reads `$JS.ACK.[<domain>.<account>.]<stream>.<consumer>.<attempts>.<seq>.<consumer seq>.<time>.<pending>[.<random>]`;
 * undefined if other tokens are in the place of these numbers.
 */
export function deliveryOf(message: Msg): Delivery | undefined {
  const tokens = (message.reply ?? '').split('.')
  const first = tokens.length === 9 ? 4 : 6
  const attempts = Number(tokens[first])
  const seq = Number(tokens[first + 1])
  const consumerSeq = Number(tokens[first + 2])
  const storedAtMs = Number(tokens[first + 3]) / 1e6
  const pending = Number(tokens[first + 4])
  return Number.isFinite(attempts + seq + consumerSeq + storedAtMs + pending)
    ? { attempts, seq, consumerSeq, storedAtMs, pending }
    : undefined
}

export function acknowledge(message: Msg): void {
  message.respond(ack)
}

export function requestRedelivery(message: Msg, afterMs: number): void {
  message.respond(encoder.encode(`-NAK ${JSON.stringify({ delay: nanos(afterMs) })}`))
}
