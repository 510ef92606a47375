import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { GetServerResponse } from '@parley/contracts/discovery'
import {
  countWhenAnswered,
  headerOf,
  isPreflight,
  preflightHeaders,
  traceRequest,
  type ClientAddress,
  type Health,
} from '@parley/runtime'
import { isRecording } from '@parley/telemetry'
import { createAdapters, type NodeHandler, type NodeServerRequest, type NodeServerResponse } from '../grpc/adapter.ts'
import type { Forwarder } from '../actions/forward/forward.ts'
import type { ImageSlots } from '../actions/forward/image-slots.ts'
import { connectPrefix, findMethod, type PublicMethod } from '../actions/forward/methods.ts'
import { admitCall } from '../grpc/admitted-calls.ts'
import type { Metrics } from '../metrics.ts'
import type { AuthContext } from './auth/context.ts'
import { jsonRoutes } from './auth/routes.ts'
import { ConnectUnary, unaryFormat } from './connect-unary.ts'
import { serveApiServer } from './discovery/api-server.ts'
import type { DiscoveryContext } from './discovery/context.ts'
import { serverInfoOf } from './discovery/server-info.ts'
import { holdBytes, type ByteBudget, type HeldBytes } from './held-bytes.ts'
import { iconPaths, serveIcon } from './icons.ts'
import { corsHeaders } from './cors.ts'
import { serveJson } from './json-route.ts'
import { serveToken } from './oauth/token.ts'
import { pageRoutes, servePage } from './pages/routes.ts'
import type { HttpProxy } from './http-proxy.ts'
import { isPlainPath, pathOf } from './path.ts'
import { isPendingFlow } from './pending-flow.ts'
import { loginErrorPath } from './providers/login-error.ts'
import { providerPath } from './providers/paths.ts'
import { serveProvider } from './providers/routes.ts'
import { queryOf, redirect } from './redirect.ts'
import { replyJson } from './reply.ts'
import { routePattern } from './route-pattern.ts'
import type { WebClient } from './web-client/web-client.ts'

type Options = {
  forwarder: Forwarder
  images: ImageSlots
  budget: ByteBudget
  clientAddress: ClientAddress
  maxUploadBytes: number
  health: Health
  auth: AuthContext
  getServer: () => Promise<GetServerResponse>
  metrics: Metrics
  assets: HttpProxy
  webhooks: HttpProxy
  webClient: WebClient
  publicUrl: string
  allowedOrigins: readonly string[]
  requestTimeoutMs: number
  compressionMinBytes: number
}

const rpcPath = /^(\/api\/connect)?\/(svc|grpc)\.[\w.]+\/\w+$/

/** Undefined for calls (traced by method), probes, files and unknown paths. */
function tracedRoute(path: string): string | undefined {
  if (rpcPath.test(path) || path === '/healthz' || path === '/readyz') return undefined
  const route = routePattern(path)
  return route === '*' ? undefined : route
}

const welcome = `This is a Parley server. Clients call ${connectPrefix}/<service>/<Method>; sign in with POST /auth/login.\n`
const notUpgraded = 'this is a WebSocket: open it with GET and the headers Connection: Upgrade and Upgrade: websocket'

export class Dispatch {
  readonly #options: Options
  readonly #unary: ConnectUnary
  readonly #adapters: { root: NodeHandler; prefixed: NodeHandler }
  readonly #discovery: DiscoveryContext

  constructor(options: Options) {
    this.#options = options
    this.#unary = new ConnectUnary(options)
    this.#adapters = createAdapters(options)
    this.#discovery = {
      describe: async () => serverInfoOf(await options.getServer()),
      admit: (request) =>
        options.forwarder.admitAnyone((name) => headerOf(request, name), request.socket.remoteAddress),
      onUnexpected: options.metrics.reportFailure,
    }
  }

  readonly http1 = (request: IncomingMessage, response: ServerResponse): void => {
    holdBytes(request, response, this.#openBudget(request))
    const route = isRecording() ? tracedRoute(pathOf(request.url)) : undefined
    if (route === undefined) void this.#handle(request, response)
    else void traceRequest(request, response, route, () => this.#handle(request, response))
  }

  #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#route(request, response).catch((error: unknown) => {
      this.#options.metrics.reportFailure(error)
      if (response.headersSent) response.destroy()
      else void replyJson(request, response, 500, { error: 'internal server error' })
    })
  }

  readonly http2 = (request: Http2ServerRequest, response: Http2ServerResponse): void => {
    const path = pathOf(request.url)
    if (rpcPath.test(path)) return void this.#grpc(path, findMethod(path), request, response)
    const status = this.#options.health.status()
    if (path === '/healthz') response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}')
    else if (path === '/readyz')
      response
        .writeHead(status.ready ? 200 : 503, { 'content-type': 'application/json' })
        .end(JSON.stringify(readinessBody(status)))
    else
      response
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"error":"over HTTP/2, only calls and probes are served here"}')
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = pathOf(request.url)
    // Calls are counted elsewhere, where their code is known.
    if (!rpcPath.test(path)) countWhenAnswered(request, response, routePattern(path))
    const cors = corsHeaders(request, path, this.#options)
    if (this.#options.auth.secure) response.setHeader('strict-transport-security', 'max-age=31536000')
    if (!isPlainPath(path)) {
      request.resume()
      return replyJson(request, response, 400, { error: 'invalid path: send it normalized' })
    }
    if (isPreflight(request)) return void response.writeHead(204, preflightHeaders(cors)).end()
    if (rpcPath.test(path)) return this.#rpc(path, request, response, cors)
    if (path === '/api/server') return serveApiServer(this.#discovery, request, response, cors)
    if (path === '/api/graphql') {
      // Loaded with the first query: the library takes 3 MiB, and most servers get no query.
      const { serveGraphql } = await import('./discovery/graphql.ts')
      return serveGraphql(this.#discovery, request, response, cors)
    }
    const signIn = this.#signInRoute(path, request, response, cors)
    if (signIn) return signIn
    if (path.startsWith('/assets/')) return this.#options.assets.handle(request, response, cors)
    if (path.startsWith('/webhooks/')) return this.#options.webhooks.handle(request, response, cors)
    if (path.startsWith(`${connectPrefix}/`)) return this.#unary.refuseRequest(request, response, cors, false)
    if (path === '/sso/confirm' && !isPendingFlow(this.#options.auth, request, queryOf(request).get('token') ?? '')) {
      request.resume()
      return redirect(response, 303, loginErrorPath('provider_failed', '/'))
    }
    if (this.#options.webClient.serve(path, request, response)) return
    request.resume()
    switch (path) {
      case '/healthz':
        return replyJson(request, response, 200, { status: 'ok' })
      case '/readyz': {
        const status = this.#options.health.status()
        return replyJson(request, response, status.ready ? 200 : 503, readinessBody(status))
      }
      case '/':
        return void response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(welcome)
      case '/api/realtime':
        return replyJson(request, response, 426, { error: notUpgraded }, { ...cors, upgrade: 'websocket' })
      default:
        if (this.#options.webClient.serveNotFound(request, response)) return
        return replyJson(request, response, 404, { error: `not found: nothing at ${path}` }, cors)
    }
  }

  #signInRoute(
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
    cors: OutgoingHttpHeaders,
  ): Promise<void> | undefined {
    const { auth } = this.#options
    const json = jsonRoutes.get(path)
    if (json) return serveJson(auth, json, request, response, cors)
    const page = pageRoutes.get(path)
    if (page) return servePage(auth, page, request, response)
    const provider = providerPath(path)
    if (provider) return serveProvider(auth, provider, request, response)
    if (path === '/oauth/token') return serveToken(auth, request, response, cors)
    return iconPaths.has(path) ? serveIcon(auth, request, response) : undefined
  }

  async #rpc(
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
    cors: OutgoingHttpHeaders,
  ): Promise<void> {
    const method = findMethod(path)
    const contentType = request.headers['content-type']
    const isForAdapter = /^application\/(grpc|connect\+)/i.test(contentType ?? '')
    if (request.method === 'POST' && isForAdapter && (method || isReflection(path))) {
      for (const [name, value] of Object.entries(cors)) if (value !== undefined) response.setHeader(name, value)
      closeAfterUnread(request, response)
      return void this.#grpc(path, method, request, response)
    }
    if (!method || request.method !== 'POST' || !unaryFormat(contentType)) {
      countWhenAnswered(request, response, routePattern(path))
      request.resume()
      return this.#unary.refuseRequest(request, response, cors, method !== undefined || isReflection(path))
    }
    return this.#unary.handle(method, request, response, cors)
  }

  #grpc(
    path: string,
    method: PublicMethod | undefined,
    request: NodeServerRequest,
    response: NodeServerResponse,
  ): void {
    const held = this.#openBudget(request)
    response.once('close', held.release)
    if ('stream' in response && !held.take(headerBytes(request.rawHeaders)))
      return response.stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    const call = { handler: this.#adapter(path), method, request, response, held }
    admitCall(this.#options, call).catch(this.#options.metrics.reportFailure)
  }

  #openBudget(request: NodeServerRequest): HeldBytes {
    const { budget, clientAddress } = this.#options
    return budget.open(clientAddress(request.socket.remoteAddress, (name) => headerOf(request, name)))
  }

  #adapter(path: string): NodeHandler {
    return path.startsWith(connectPrefix) ? this.#adapters.prefixed : this.#adapters.root
  }
}

/** Uncompressed: with HTTP/2 compression a few bytes can expand to many headers. */
const headerBytes = (rawHeaders: readonly string[]): number => rawHeaders.reduce((sum, text) => sum + text.length, 0)

const isReflection = (path: string): boolean =>
  /\/grpc\.reflection\.v1(alpha)?\.ServerReflection\/ServerReflectionInfo$/.test(path)

/** Only the internal port shows the reasons. */
const readinessBody = ({ ready }: { ready: boolean }) => ({ status: ready ? 'ready' : 'not ready' })

/** The protocol library closes the connection after an unread body, so the response must say so. */
function closeAfterUnread(request: IncomingMessage, response: ServerResponse): void {
  const wanted = response.shouldKeepAlive
  Object.defineProperty(response, 'shouldKeepAlive', { get: () => wanted && request.complete })
}
