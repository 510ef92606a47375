import type { IncomingMessage } from 'node:http'
import type { ServerInfo } from './server-info.ts'

/** Dependencies of the routes that describe the server. */
export type DiscoveryContext = {
  describe: () => Promise<ServerInfo>
  /** Counts an unauthenticated call. Throws `resource_exhausted` if there were too many recently. */
  admit: (request: IncomingMessage) => void
  /** Called with unexpected failures. */
  onUnexpected: (error: unknown) => void
}
