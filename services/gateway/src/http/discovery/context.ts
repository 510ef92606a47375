import type { IncomingMessage } from 'node:http'
import type { ServerInfo } from './server-info.ts'

/** Dependencies of the routes that describe the server. */
export type DiscoveryContext = {
  describe: () => Promise<ServerInfo>
  /** Counts a call of somebody unknown. Throws `resource_exhausted` when there were too many lately. */
  admit: (request: IncomingMessage) => void
  /** Called with unexpected failures. */
  failed: (error: unknown) => void
}
