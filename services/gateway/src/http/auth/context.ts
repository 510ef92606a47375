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

/** Dependencies of the browser routes. */
export type AuthContext = CredentialSecrets & {
  accounts: Client<typeof AccountsInternalService>
  signIn: Client<typeof SignInInternalService>
  describeServer: ServerDescription
  callers: CallerCache
  renewal: SessionRenewal
  /** Rate limits of these routes per client address. */
  limits: CallLimits
  attempts: SignInAttempts
  /** Limit of requested mails per client address. */
  mails: NetworkLimiter
  /** Limit of sign-ins at providers per client address. */
  providerSignIns: NetworkLimiter
  clientAddress: ClientAddress
  metrics: Metrics
  publicUrl: string
  allowedOrigins: readonly string[]
  oauthRedirectOrigins: readonly string[]
  /** Whether cookies are sent only over https. */
  secure: boolean
}

/** Answers a request, or throws an error that `failureOf` converts to a status and a text. */
export type Handler = (context: AuthContext, request: IncomingMessage, response: ServerResponse) => Promise<void>

/** A handler of a route that requires a signed-in user. */
export type UserHandler = (
  context: AuthContext,
  request: IncomingMessage,
  response: ServerResponse,
  user: SignedIn,
) => Promise<void>

/**
 * Options of the session that a sign-in starts: its user agent, and whether it has only a cookie, without a bearer
 * token.
 */
export const readSessionOptions = (request: IncomingMessage, body: Record<string, unknown>) => ({
  userAgent: headerOf(request, 'user-agent') ?? '',
  cookieOnly: body['cookieOnly'] === true,
})

/** The address of the client, for limits and the audit log. */
export const clientAddressOf = ({ clientAddress }: AuthContext, request: IncomingMessage): string =>
  clientAddress(request.socket.remoteAddress, (name) => headerOf(request, name))
