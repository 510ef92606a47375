import type { CredentialDigests } from '@parley/credentials'
import type { CredentialAttempts } from '@parley/redis'
import type { Hub, SocketOpener } from '../engines/hub/index.ts'
import type { Metrics } from '../metrics.ts'
import type { PresentedCredentials } from './presented-credentials.ts'

/** Dependencies of a connection. */
export type ConnectionContext = {
  hub: Hub
  opener: SocketOpener
  metrics: Metrics
  /** The server's hello frame, the same for every socket. */
  hello: Uint8Array
  handshakeTimeoutMs: number
  /**
   * Counts a hello; `isKnown`: whether its credential was valid at the last check. Undefined if the node can serve the
   * hello; otherwise the number of milliseconds after which the client may retry.
   */
  overloadDelayMs: (isKnown: boolean) => number | undefined
  /** Maximum number of sockets per user; 0: no limit. */
  socketsPerPerson: number
  /** Counts hellos without a valid credential, by network, in this process only. */
  credentialAttempts: CredentialAttempts
  /** Digests of the credentials to try, in order of precedence. */
  digests: (bearerToken: string | undefined, presented: PresentedCredentials) => CredentialDigests[]
  /** Random reconnect delay for a client whose socket is closed, so that clients do not return together. */
  retryAfterMs: () => number
}
