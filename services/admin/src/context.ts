import type { Client } from '@connectrpc/connect'
import type { AccountsInternalService, RoomsInternalService, UploadsInternalService } from '@parley/contracts/internal'
import type { Policy } from '@parley/permissions'
import type { Relay } from '@parley/events'
import type { Db } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import type { Config } from './config.ts'

export type Context = {
  config: Config
  db: Db
  accounts: Client<typeof AccountsInternalService>
  rooms: Client<typeof RoomsInternalService>
  uploads: Client<typeof UploadsInternalService>
  bus: Bus
  /**
   * `highest`: the highest revision that this process has seen; after a restore of the database it may be above the
   * stored one.
   */
  policy: { current(): Policy; highest(): bigint }
  relay: Pick<Relay, 'waitUntilStored' | 'wake'>
  now: () => Date
}
