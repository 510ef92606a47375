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
import type { Config } from './config.ts'
import type { Mailer } from './engines/mail/index.ts'
import type { Passwords } from './engines/passwords/index.ts'
import type { Presence } from './engines/presence/index.ts'
import type { Providers } from './clients/providers/providers.ts'

export type Context = {
  config: Config
  db: Db
  /** Limits concurrent reads of long lists. */
  reads: FairSemaphore
  relay: Pick<Relay, 'wake' | 'waitUntilStored'>
  policy: Pick<PolicyHolder, 'current' | 'loadFresh'>
  passwords: Passwords
  /** Limits how often a wrong password may be entered as the current one. */
  passwordGuesses: RateLimiter
  providers: Providers
  /** The process waits for this work before it exits. */
  background: (work: Promise<unknown>) => void
  mailer: Mailer | undefined
  admin: Client<typeof AdminInternalService>
  messaging: Client<typeof MessagingInternalService>
  notifications: Client<typeof NotificationsInternalService>
  uploads: Client<typeof UploadsInternalService>
  presence: Pick<Presence, 'of' | 'report' | 'isUnsure' | 'sweep' | 'maxSweepPauseMs'>
  now: () => Date
}

/** What the methods for operators need. It can be opened with databases alone, while no service runs. */
export type OperatorContext = Pick<Context, 'db' | 'relay' | 'policy' | 'passwords' | 'now'> &
  Partial<Pick<Context, 'background' | 'mailer'>> & {
    config: Pick<Config, 'ownerEmails' | 'moreOwnerEmails' | 'maxUsers'>
    admin: Pick<Context['admin'], 'checkLogin'>
  }
