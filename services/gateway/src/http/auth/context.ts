import type { Client } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { CallerCache } from '../../credentials/caller-cache.ts'
import type { Secrets } from '../../credentials/presented.ts'
import type { SignInAttempts } from './attempts.ts'

/** What the sign-in routes may reach. */
export type AuthContext = Secrets & {
  accounts: Client<typeof AccountsInternalService>
  callers: CallerCache
  attempts: SignInAttempts
  /** Whether cookies are for https only. */
  secure: boolean
}
