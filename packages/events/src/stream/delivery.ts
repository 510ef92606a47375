import { nanos, type Msg } from 'nats'

const encoder = new TextEncoder()
const ack = encoder.encode('+ACK')

/** The values in the reply subject of a delivered message. */
export type Delivery = {
  /** How often the message was delivered to this consumer, including this time. */
  deliveries: number
  seq: number
  /** Number of this delivery among all of this consumer, counted from 1 without gaps. */
  delivered: number
  storedAtMs: number
  /** Messages that this consumer has yet to deliver. */
  pending: number
}

/**
 * Reads `$JS.ACK.[<domain>.<account>.]<stream>.<consumer>.<deliveries>.<seq>.<delivered>.<time>.<pending>[.<random>]`;
 * undefined for any other subject.
 */
export function deliveryOf(message: Msg): Delivery | undefined {
  const tokens = (message.reply ?? '').split('.')
  const first = tokens.length === 9 ? 4 : 6
  const deliveries = Number(tokens[first])
  const seq = Number(tokens[first + 1])
  const delivered = Number(tokens[first + 2])
  const storedAtMs = Number(tokens[first + 3]) / 1e6
  const pending = Number(tokens[first + 4])
  return Number.isFinite(deliveries + seq + delivered + storedAtMs + pending)
    ? { deliveries, seq, delivered, storedAtMs, pending }
    : undefined
}

/** Acknowledges a message. */
export function acknowledge(message: Msg): void {
  message.respond(ack)
}

/** Requests redelivery of a message after a delay. */
export function requestRedelivery(message: Msg, afterMs: number): void {
  message.respond(encoder.encode(`-NAK ${JSON.stringify({ delay: nanos(afterMs) })}`))
}
