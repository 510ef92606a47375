import type { Client } from '@connectrpc/connect'
import type {
  AccountsInternalService,
  AdminInternalService,
  MessagingInternalService,
} from '@parley/contracts/internal'
import type { Policy } from '@parley/auth'
import type { Relay } from '@parley/events'
import type { Db } from '@parley/postgres'
import type { Turnstile } from '@parley/runtime'
import type { Line } from './line/line.ts'
import type { Turns } from './line/turns.ts'

export type Context = {
  db: Db
  /** Through which long lists are read. */
  reads: Turnstile
  /** Of which the ids of direct conversations are made. */
  dmKey: Uint8Array
  accounts: Client<typeof AccountsInternalService>
  admin: Client<typeof AdminInternalService>
  messaging: Client<typeof MessagingInternalService>
  policy: { current(): Policy }
  line: Line
  turns: Turns
  relay: Pick<Relay, 'wake' | 'onPeerGone'>
  now: () => Date
}
