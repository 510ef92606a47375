import type { CredentialDigests } from '@parley/credentials'
import type { CredentialAttempts } from '@parley/redis'
import type { Hub, Opening } from '../engines/hub/index.ts'
import type { Metrics } from '../metrics.ts'
import type { Presented } from './presented.ts'

/** Dependencies of a connection. */
export type ConnectionContext = {
  hub: Hub
  opening: Opening
  metrics: Metrics
  /** The server's hello frame, the same for every socket. */
  hello: Uint8Array
  handshakeTimeoutMs: number
  /**
   * Counts a hello, by whether its credential was valid at the last check. Undefined if the node can serve it;
   * otherwise after how many milliseconds the client may return.
   */
  overloadDelayMs: (isKnown: boolean) => number | undefined
  /** Maximum number of sockets per person; 0: any number. */
  socketsPerPerson: number
  /** Counts hellos without a valid credential, by network, in this process only. */
  trials: CredentialAttempts
  /** Digests of the credentials to try, best first. */
  digests: (bearerToken: string | undefined, presented: Presented) => CredentialDigests[]
  /** Random reconnect delay for a client whose socket is closed, so that clients do not return together. */
  retryAfterMs: () => number
}
