import { createServer, type ServerResponse } from 'node:http'
import { hostname } from 'node:os'
import { lastErrors, metricsText, serverVersion, serviceName, type LoggedError } from '@parley/telemetry'
import { watchEventLoop } from './event-loop.ts'
import type { Health } from './health.ts'

export type InternalServerOptions = {
  host: string
  port: number
  health: Health
}

/** Served at `/status`. */
export type ProcessStatus = {
  /** A deployable, or `compact`. */
  service: string
  version: string
  host: string
  pid: number
  startedAt: string
  ready: boolean
  /** Why the process is not ready. */
  reasons: string[]
  /** Outages of shared dependencies; the process stays ready. Earlier releases do not report them. */
  outages?: string[]
  /** Newest first. */
  lastErrors: readonly LoggedError[]
}

/**
 * Serves the internal port: `/healthz` (the process is alive), `/readyz` (it is ready; otherwise the body gives the
 * reasons), `/status` (a {@link ProcessStatus}) and `/metrics`. Throws if the port is unavailable. Close it last, so
 * that probes see the drain.
 */
export async function serveInternal(options: InternalServerOptions): Promise<{ port: number } & AsyncDisposable> {
  const { host, health } = options
  const server = createServer((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return sendJson(response, 405, { status: 'use GET' })
    const path = request.url?.split('?', 1)[0]
    if (path === '/healthz') return sendJson(response, 200, { status: 'ok' })
    if (path === '/readyz') return sendReadiness(response, health)
    if (path === '/status') return sendJson(response, 200, statusOf(health))
    if (path === '/metrics') return void sendMetrics(response)
    return sendJson(response, 404, { status: 'not found' })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, host, resolve)
  })
  const eventLoop = watchEventLoop()
  const watched = health.addCheck('event loop', () => eventLoop.reason())
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    [Symbol.asyncDispose]: () => {
      watched[Symbol.dispose]()
      eventLoop[Symbol.dispose]()
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

function sendReadiness(response: ServerResponse, health: Health): void {
  const { ready, reasons } = health.status()
  if (ready) sendJson(response, 200, { status: 'ready' })
  else sendJson(response, 503, { status: 'not ready', reasons })
}

function statusOf(health: Health): ProcessStatus {
  const startedAt = new Date(Date.now() - process.uptime() * 1000).toISOString()
  return {
    ...{ service: serviceName, version: serverVersion, host: hostname(), pid: process.pid, startedAt },
    ...health.status(),
    outages: health.outages(),
    lastErrors: lastErrors(),
  }
}

async function sendMetrics(response: ServerResponse): Promise<void> {
  try {
    const text = await metricsText()
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text)
  } catch {
    sendJson(response, 500, { status: 'metrics could not be collected' })
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
