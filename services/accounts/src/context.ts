import type { Client } from '@connectrpc/connect'
import type {
  AdminInternalService,
  MessagingInternalService,
  NotificationsInternalService,
  UploadsInternalService,
} from '@parley/contracts/internal'
import type { PolicyHolder, Relay } from '@parley/events'
import type { Db } from '@parley/postgres'
import type { RateLimiter } from '@parley/redis'
import type { FairSemaphore } from '@parley/runtime'
import type { BackgroundTasks } from './background-tasks.ts'
import type { Config } from './config.ts'
import type { Mailer } from './mail/mailer.ts'
import type { Passwords } from './passwords/passwords.ts'
import type { Presence } from './presence/presence.ts'
import type { Providers } from './providers/providers.ts'

export type Context = {
  config: Config
  db: Db
  /** Through which long lists are read. */
  reads: FairSemaphore
  relay: Pick<Relay, 'wake' | 'stored'>
  policy: Pick<PolicyHolder, 'current'>
  passwords: Passwords
  /** Wrong current passwords, per credential. */
  passwordGuesses: RateLimiter
  providers: Providers
  background: BackgroundTasks
  /** Undefined: this server cannot send mail. */
  mailer: Mailer | undefined
  admin: Client<typeof AdminInternalService>
  messaging: Client<typeof MessagingInternalService>
  notifications: Client<typeof NotificationsInternalService>
  uploads: Client<typeof UploadsInternalService>
  presence: Pick<Presence, 'of' | 'report'>
  now: () => Date
}
