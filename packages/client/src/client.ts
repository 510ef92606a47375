import { type Client, createClient, type Transport } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-web'
import { ExternalIdentityAuthService } from '@parley/contracts/auth'
import { ServerDiscoveryService } from '@parley/contracts/discovery'
import { adminServices, type AdminServices } from './admin-services.ts'
import { type AuthorizationCodeFlow, authorizationCodeFlow } from './authorization-code.ts'
import { authorization } from './calls/authorization.ts'
import { createHttpPost } from './calls/http-post.ts'
import { idempotencyKeys } from './calls/idempotency-keys.ts'
import { reportUnreachable } from './calls/reachable.ts'
import { retries, type RetryPolicy } from './calls/retries.ts'
import { ReconnectingRealtime } from './realtime/reconnecting-realtime.ts'
import type { Realtime, RealtimeOptions } from './realtime/realtime-types.ts'
import type { WebSocketConstructor } from './realtime/web-socket.ts'
import { apiServices, type ApiServices } from './services.ts'
import {
  type AccountSteps,
  accountSteps,
  exchangeCode,
  type SessionOptions,
  type SignedIn,
  signIn,
  signOut,
} from './sign-in.ts'

export type ParleyClientOptions = {
  /** Such as `https://chat.example.org`; it may have a path. */
  baseUrl: string
  /** Without a token, calls carry at most the session cookie that `fetch` sends. */
  token?: string
  /** Used for every request; default `globalThis.fetch`. */
  fetch?: typeof globalThis.fetch
  /**
   * Used for the realtime socket; default `globalThis.WebSocket`. On Node.js before 22, pass the one from the package
   * `ws`.
   */
  webSocket?: WebSocketConstructor
  /**
   * Milliseconds a call, a sign-in or a sign-out may take, including retries, unless a call sets its own timeout;
   * default 10,000.
   */
  timeoutMs?: number
  /** How calls that are safe to repeat are retried while the server is unavailable. */
  retry?: Partial<RetryPolicy>
}

/** The server as one typed object. Calls fail with a ConnectError. */
export type ParleyClient = MemberClient & { readonly admin: AdminServices }

/**
 * A client without the administration services. A page that should load quickly creates this one and loads
 * {@link adminServices} on demand.
 */
export type MemberClient = {
  readonly baseUrl: string
  /** The bearer token in use; set it to act as somebody else from the next call on. */
  token: string | undefined
  readonly api: ApiServices
  /** Pass it to `createClient` for services that have no client here. */
  readonly transport: Transport
  readonly auth: Client<typeof ExternalIdentityAuthService>
  /** Available before sign-in. */
  readonly discovery: Client<typeof ServerDiscoveryService>
  /**
   * Signs in with a login or verified e-mail address and stores the token. Fails with `unauthenticated` for a wrong
   * login or password, and with `resource_exhausted` after too many attempts.
   */
  signIn(credentials: SessionOptions & { login: string; password: string }): Promise<SignedIn>
  /** Ends the session on the server, which closes its realtime streams, and forgets the token. */
  signOut(): Promise<void>
  /** Registration, invites, forgotten passwords, and further e-mail addresses. */
  readonly account: AccountSteps
  /** Sign-in on the server's own page, for web clients on another origin. */
  readonly authorization: AuthorizationCodeFlow
  /**
   * Opens the stream of events. After a lost connection the stream reconnects. It ends when it is closed, when the
   * session ends, or when the server refuses the connection for good.
   */
  realtime(options?: RealtimeOptions): Realtime
}

/** Creates a client; nothing is sent before the first call. */
export function createParleyClient(options: ParleyClientOptions): ParleyClient {
  const client = createMemberClient(options)
  return Object.assign(client, { admin: adminServices(client.transport) })
}

export function createMemberClient(options: ParleyClientOptions): MemberClient {
  const baseUrl = options.baseUrl.replace(/\/+$/, '')
  const session = { token: options.token }
  const fetch = reportUnreachable(options.fetch ?? ((input, init) => globalThis.fetch(input, init)))
  const timeoutMs = options.timeoutMs ?? 10_000
  const post = createHttpPost(baseUrl, fetch, timeoutMs)
  const transport = createConnectTransport({
    baseUrl: `${baseUrl}/api/connect`,
    useBinaryFormat: true,
    defaultTimeoutMs: timeoutMs,
    interceptors: [authorization(() => session.token), idempotencyKeys, retries(options.retry)],
    fetch,
  })
  const discovery = createClient(ServerDiscoveryService, transport)
  const storeToken = (signedIn: SignedIn): SignedIn => {
    session.token = signedIn.token || undefined
    return signedIn
  }
  return {
    baseUrl,
    get token() {
      return session.token
    },
    set token(token) {
      session.token = token
    },
    api: apiServices(transport),
    transport,
    auth: createClient(ExternalIdentityAuthService, transport),
    discovery,
    account: accountSteps(post, storeToken, () => session.token),
    authorization: authorizationCodeFlow(baseUrl, discovery, async (fields) =>
      storeToken(await exchangeCode(post, fields)),
    ),
    signIn: async (credentials) => storeToken(await signIn(post, credentials)),
    async signOut() {
      await signOut(post, session.token)
      session.token = undefined
    },
    realtime: (realtimeOptions = {}) =>
      new ReconnectingRealtime({
        ...realtimeOptions,
        url: realtimeOptions.url ?? `${baseUrl.replace(/^http/, 'ws')}/api/realtime`,
        webSocket: options.webSocket ?? globalWebSocket(),
        token: () => session.token,
      }),
  }
}

function globalWebSocket(): WebSocketConstructor {
  const found: { WebSocket?: WebSocketConstructor } = globalThis
  if (found.WebSocket === undefined) {
    throw new Error(
      'this platform has no WebSocket: pass one to createParleyClient, such as the one from the package ws',
    )
  }
  return found.WebSocket
}
