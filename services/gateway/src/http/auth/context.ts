import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Client } from '@connectrpc/connect'
import type { CallerCache, CredentialSecrets, SignedIn } from '@parley/credentials'
import type { AccountsInternalService, SignInInternalService } from '@parley/contracts/internal'
import type { NetworkLimiter } from '@parley/redis'
import { headerOf, type ClientAddress } from '@parley/runtime'
import type { DescribeServer } from '../../clients/server.ts'
import type { SessionRenewal } from '../../actions/credentials/renewal.ts'
import type { CallLimits } from '../../actions/forward/call-limits.ts'
import type { Metrics } from '../../metrics.ts'
import type { SignInAttempts } from './attempts.ts'

export type AuthContext = CredentialSecrets & {
  accounts: Client<typeof AccountsInternalService>
  signIn: Client<typeof SignInInternalService>
  describeServer: DescribeServer
  callers: CallerCache
  renewal: SessionRenewal
  limits: CallLimits
  attempts: SignInAttempts
  mails: NetworkLimiter
  providerSignIns: NetworkLimiter
  clientAddress: ClientAddress
  metrics: Metrics
  publicUrl: string
  allowedOrigins: readonly string[]
  oauthRedirectOrigins: readonly string[]
  /** Whether the public URL uses https. */
  secure: boolean
}

export type Handler = (context: AuthContext, request: IncomingMessage, response: ServerResponse) => Promise<void>

export type UserHandler = (
  context: AuthContext,
  request: IncomingMessage,
  response: ServerResponse,
  user: SignedIn,
) => Promise<void>

/** `cookieOnly`: the session has a cookie and no bearer token. */
export const readSessionOptions = (request: IncomingMessage, body: Record<string, unknown>) => ({
  userAgent: headerOf(request, 'user-agent') ?? '',
  cookieOnly: body['cookieOnly'] === true,
})

export const clientAddressOf = ({ clientAddress }: AuthContext, request: IncomingMessage): string =>
  clientAddress(request.socket.remoteAddress, (name) => headerOf(request, name))
