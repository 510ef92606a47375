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
   * Counts a hello. Returns undefined if the node can serve it, otherwise the number of milliseconds after which the
   * client may retry. `isKnown`: whether a credential of the hello was valid at its last check.
   */
  overloadDelayMs: (isKnown: boolean) => number | undefined
  /** Maximum number of sockets per user; 0: no limit. */
  socketsPerPerson: number
  /** Counts hellos without a valid credential, by network, in this process only. */
  credentialAttempts: CredentialAttempts
  /** Digests of the credentials to try, in order of precedence. */
  digestsToTry: (bearerToken: string | undefined, presented: PresentedCredentials) => CredentialDigests[]
  /** Random reconnect delay for a client whose socket is closed, so that clients do not return together. */
  retryAfterMs: () => number
}
