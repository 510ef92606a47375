import type { IncomingMessage } from 'node:http'
import type { ServerInfo } from './server-info.ts'

export type DiscoveryContext = {
  describe: () => Promise<ServerInfo>
  /** Throws `resource_exhausted` if the client has sent too many requests. */
  admit: (request: IncomingMessage) => void
  onUnexpected: (error: unknown) => void
}
