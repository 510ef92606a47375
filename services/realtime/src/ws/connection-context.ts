import type { CredentialDigests } from '@parley/credentials'
import type { Trials } from '@parley/redis'
import type { Hub, Opening } from '../engines/hub/index.ts'
import type { Metrics } from '../metrics.ts'
import type { Presented } from './presented.ts'

/** What a connection may reach. */
export type ConnectionContext = {
  hub: Hub
  opening: Opening
  metrics: Metrics
  serverVersion: string
  heartbeatIntervalMs: number
  handshakeTimeoutMs: number
  /** How many one person may have open here; 0: any number. */
  socketsPerPerson: number
  /** Hellos without a credential that holds, by network, in this process alone. */
  trials: Trials
  /** Digests of the credentials to try, best first. */
  digests: (bearerToken: string | undefined, presented: Presented) => CredentialDigests[]
  /** When a client that is sent away should come back: spread, so that they do not come together. */
  retryAfterMs: () => number
}
