import type { IncomingMessage } from 'node:http'
import type { Client } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { CallerCache } from '../../credentials/caller-cache.ts'
import type { Secrets } from '../../credentials/presented.ts'
import type { ClientAddress } from '../client-address.ts'
import { headerOf } from '../header.ts'
import type { SignInAttempts } from './attempts.ts'

/** What the sign-in routes may reach. */
export type AuthContext = Secrets & {
  accounts: Client<typeof AccountsInternalService>
  callers: CallerCache
  attempts: SignInAttempts
  clientAddress: ClientAddress
  /** Whether cookies are for https only. */
  secure: boolean
}

/** Where a sign-in comes from, for limits and the audit log. */
export const clientAddressOf = ({ clientAddress }: AuthContext, request: IncomingMessage): string =>
  clientAddress(request.socket.remoteAddress, (name) => headerOf(request, name))
