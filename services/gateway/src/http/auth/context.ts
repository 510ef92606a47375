import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Client } from '@connectrpc/connect'
import type { CallerCache, CredentialSecrets, SignedIn } from '@parley/credentials'
import type { AccountsInternalService, SignInInternalService } from '@parley/contracts/internal'
import type { NetworkLimiter } from '@parley/redis'
import { headerOf, type ClientAddress } from '@parley/runtime'
import type { ServerDescription } from '../../clients/server.ts'
import type { SessionRenewal } from '../../actions/credentials/renewal.ts'
import type { CallLimits } from '../../actions/forward/call-limits.ts'
import type { Metrics } from '../../metrics.ts'
import type { SignInAttempts } from './attempts.ts'

/** What the browser's routes may reach. */
export type AuthContext = CredentialSecrets & {
  accounts: Client<typeof AccountsInternalService>
  signIn: Client<typeof SignInInternalService>
  describeServer: ServerDescription
  callers: CallerCache
  renewal: SessionRenewal
  /** How often one address may come here at all. */
  limits: CallLimits
  attempts: SignInAttempts
  /** How many mails one address may ask for. */
  mails: NetworkLimiter
  /** How many sign-ins at providers one address may begin. */
  providerSignIns: NetworkLimiter
  clientAddress: ClientAddress
  metrics: Metrics
  publicUrl: string
  allowedOrigins: readonly string[]
  oauthRedirectOrigins: readonly string[]
  /** Whether cookies are for https only. */
  secure: boolean
}

/** Answers a request, or throws what `failureOf` turns into a status and a text. */
export type Handler = (context: AuthContext, request: IncomingMessage, response: ServerResponse) => Promise<void>

/** The same for routes that need someone signed in. */
export type UserHandler = (
  context: AuthContext,
  request: IncomingMessage,
  response: ServerResponse,
  user: SignedIn,
) => Promise<void>

/** What a sign-in says of the session it wants: what the program calls itself, and whether it has a use for a token. */
export const wantedSession = (request: IncomingMessage, body: Record<string, unknown>) => ({
  userAgent: headerOf(request, 'user-agent') ?? '',
  cookieOnly: body['cookieOnly'] === true,
})

/** Where a sign-in comes from, for limits and the audit log. */
export const clientAddressOf = ({ clientAddress }: AuthContext, request: IncomingMessage): string =>
  clientAddress(request.socket.remoteAddress, (name) => headerOf(request, name))
