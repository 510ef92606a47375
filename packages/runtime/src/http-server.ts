import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { isRecording } from '@parley/telemetry'
import { countWhenAnswered, traceRequest } from './metrics.ts'
import { answerRequests } from './request-framing.ts'

/** A listening HTTP server; disposing it lets running requests finish. `url` is its address on this machine. */
export type HttpServer = AsyncDisposable & { url: string }

/** Milliseconds after which a connection is closed. */
export type HttpTimeouts = {
  head: number
  request: number
  /** From the moment at which the client last sent or read. */
  idle: number
}

export const defaultTimeouts: HttpTimeouts = { head: 10_000, request: 120_000, idle: 60_000 }

type Options = {
  host: string
  port: number
  handle: RequestListener
  /** The pattern of a path, for metrics and traces: one of a few. Default: `*` for all. */
  routeOf?: (path: string) => string
  timeouts?: HttpTimeouts
  /** When it is aborted, connections that are left are closed, even if a request is running on them. Default: never. */
  signal?: AbortSignal
}

/**
 * Serves HTTP on its own port; 0 takes a free one, reported in `url`. Only a POST reaches `handle` with a body. Throws
 * when the port is unavailable.
 */
export async function serveHttp(options: Options): Promise<HttpServer> {
  const { host, port, handle, routeOf = () => '*', timeouts = defaultTimeouts } = options
  const { head: headersTimeout, request: requestTimeout, idle } = timeouts
  const connectionsCheckingInterval = Math.min(headersTimeout, 10_000)
  const server = createServer({ headersTimeout, requestTimeout, connectionsCheckingInterval })
  answerRequests(server, (request, response) => {
    const route = routeOf((request.url ?? '/').split('?', 1)[0] ?? '/')
    countWhenAnswered(request, response, route)
    if (isRecording()) void traceRequest(request, response, route, () => handle(request, response))
    else handle(request, response)
  })
  server.setTimeout(idle)
  options.signal?.addEventListener('abort', () => server.closeAllConnections(), { once: true })
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the HTTP server has no port')
  return {
    url: `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${address.port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}
