import type { StreamEnd } from '../../errors.ts'

/** A socket past its hello, as the hub sees it. */
export type Subscriber = {
  /** Whether its stream is open; only then is it subscribed to topics. */
  readonly isOpen: boolean
  /** Id of the credential it was opened with. */
  readonly credentialId: string | undefined
  /** Bytes it has not taken yet. */
  readonly buffered: number
  /** Whether it has been open for about as long, in milliseconds; `now` as of `performance.now()`. */
  isOlderThan(maxAgeMs: number, now: number): boolean
  subscribe(topic: string): void
  unsubscribe(topic: string): void
  /** Sends the reason, then closes. */
  end(end: StreamEnd): void
}
