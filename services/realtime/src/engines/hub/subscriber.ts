import type { StreamEnd } from '../../errors.ts'

/** The hub's view of a socket with an accepted hello. */
export type Subscriber = {
  /** Whether its stream is open; only then is it subscribed to topics. */
  readonly isOpen: boolean
  /** Id of the credential with which it was opened. */
  readonly credentialId: string | undefined
  /** Number of unsent bytes. */
  readonly buffered: number
  /** Whether it was opened more than about `maxAgeMs` ago; `now` is a time of `performance.now()`. */
  isOlderThan(maxAgeMs: number, now: number): boolean
  subscribe(topic: string): void
  unsubscribe(topic: string): void
  /** Sends the reason, then closes. */
  end(end: StreamEnd): void
}
