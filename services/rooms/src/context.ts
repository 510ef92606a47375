import type { Client } from '@connectrpc/connect'
import type {
  AccountsInternalService,
  AdminInternalService,
  MessagingInternalService,
} from '@parley/contracts/internal'
import type { Policy } from '@parley/permissions'
import type { Relay } from '@parley/events'
import type { Connection, Db } from '@parley/postgres'
import type { FairSemaphore } from '@parley/runtime'
import type { FactDelivery, ReadRoom, WriteQueue } from './engines/delivery/index.ts'

export type Context = {
  db: Db
  /** For hand-written statements. */
  pool: Connection
  reads: FairSemaphore
  dmKey: Uint8Array
  accounts: Client<typeof AccountsInternalService>
  admin: Client<typeof AdminInternalService>
  messaging: Client<typeof MessagingInternalService>
  policy: { current(): Policy }
  delivery: FactDelivery
  writes: WriteQueue
  readRoom: ReadRoom
  relay: Pick<Relay, 'wake' | 'onPeerGone'>
  now: () => Date
}
