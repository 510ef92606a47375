import type { CredentialDigests } from '@parley/credentials'
import type { CredentialAttempts } from '@parley/redis'
import type { Hub, SocketOpener } from '../engines/hub/index.ts'
import type { Metrics } from '../metrics.ts'
import type { PresentedCredentials } from './presented-credentials.ts'

export type ConnectionContext = {
  hub: Hub
  opener: SocketOpener
  metrics: Metrics
  hello: Uint8Array
  handshakeTimeoutMs: number
  /**
   * Counts a hello. Undefined if the node can serve it, otherwise the milliseconds after which the client may retry.
   * `isKnown`: a credential of the hello was valid at its last check.
   */
  overloadDelayMs: (isKnown: boolean) => number | undefined
  /** 0: no limit. */
  socketsPerPerson: number
  credentialAttempts: CredentialAttempts
  /** In order of precedence. */
  digestsToTry: (bearerToken: string | undefined, presented: PresentedCredentials) => CredentialDigests[]
  /** Random, so that clients do not return together. */
  retryAfterMs: () => number
}
