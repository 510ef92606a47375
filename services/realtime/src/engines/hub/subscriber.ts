import type { StreamEnd } from '../../errors.ts'

/** A socket with an accepted hello. */
export type Subscriber = {
  /** Whether the stream of the socket is open; only then is the socket subscribed to topics. */
  readonly isOpen: boolean
  readonly credentialId: string | undefined
  readonly buffered: number
  /** Approximately; `now` is a time of `performance.now()`. */
  isOlderThan(maxAgeMs: number, now: number): boolean
  subscribe(topic: string): void
  unsubscribe(topic: string): void
  end(end: StreamEnd): void
}
