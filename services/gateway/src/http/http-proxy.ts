import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { countOutgoingRequest, hasBody } from '@parley/runtime'
import { errors, Pool } from 'undici'
import { Targets } from '../clients/targets.ts'
import { holdStalledBytes } from './held-bytes.ts'
import { endToEndHeaders, upstreamHeaders, upstreamPath, type DescribeClient } from './hop-by-hop.ts'
import { replyJson } from './reply.ts'

/** Timeouts for connecting to an upstream server, and for its next bytes, in milliseconds. */
const connectMs = 2_000
const idleMs = 60_000
/** Timeout for the start of its response, if another server can be tried instead, in milliseconds. */
const defaultFirstByteMs = 5_000

type Options = {
  what: 'assets' | 'webhooks'
  targets: readonly string[]
  /** Methods that are forwarded. */
  methods: readonly string[]
  describeClient: DescribeClient
  /** Time in milliseconds for a server to begin its response before the next one is tried. Default: 5 s. */
  firstByteMs?: number
}

/** `gone` is aborted when the client has disconnected. */
type Exchange = { request: IncomingMessage; response: ServerResponse; gone: AbortSignal; isLast: boolean }

/**
 * Forwards requests to other deployables if no ingress does. The servers are used round-robin. If one does not answer,
 * the next one is tried, unless the first may have received a request that must not be repeated. The HTTP client
 * library frames each request anew, so that the body length stated by the client is never forwarded unchecked. A
 * connection whose request or response did not end properly is not reused.
 */
export class HttpProxy implements AsyncDisposable {
  readonly #what: 'assets' | 'webhooks'
  readonly #methods: readonly string[]
  readonly #describeClient: DescribeClient
  readonly #firstByteMs: number
  readonly #targets: Targets<Pool>

  constructor({ what, targets, methods, describeClient, firstByteMs = defaultFirstByteMs }: Options) {
    this.#what = what
    this.#methods = methods
    this.#describeClient = describeClient
    const limits = { connect: { timeout: connectMs }, headersTimeout: idleMs, bodyTimeout: idleMs }
    this.#firstByteMs = firstByteMs
    const pools = targets.map((target) => new Pool(new URL(target).origin, limits))
    this.#targets = new Targets(what, pools)
  }

  /** Forwards a request, or answers it if that is impossible. `cors` is added to responses of the gateway itself. */
  async handle(request: IncomingMessage, response: ServerResponse, cors: OutgoingHttpHeaders = {}): Promise<void> {
    const pools = this.#targets.inOrder()
    if (pools.length === 0)
      return replyJson(request, response, 404, { error: `${this.#what} is not served here` }, cors)
    const { method = '' } = request
    if (!this.#methods.includes(method)) {
      const error = `method not allowed: use ${this.#methods[0]}`
      return replyJson(request, response, 405, { error }, { ...cors, allow: this.#methods.join(', ') })
    }
    holdStalledBytes(request, response)
    const gone = new AbortController()
    const onClose = () => gone.abort()
    response.once('close', onClose)
    request.socket.once('close', onClose)
    try {
      for (const pool of pools) {
        const isLast = pool === pools.at(-1)
        const failure = await this.#forward(pool, { request, response, gone: gone.signal, isLast })
        if (failure === undefined) return
        if (response.headersSent || response.destroyed || gone.signal.aborted) return void response.destroy()
        if (failure instanceof errors.InvalidArgumentError)
          return await replyJson(request, response, 400, { error: 'the headers are malformed' }, cors)
        this.#targets.markFailed(pool, failure)
        if (!mayRepeat(request, failure)) break
      }
      await replyJson(request, response, 503, { error: `${this.#what} is not available; try again` }, cors)
    } finally {
      request.socket.off('close', onClose)
    }
  }

  /** Forwards a request to one server. Returns the error, if any. */
  async #forward(pool: Pool, { request, response, gone, isLast }: Exchange): Promise<unknown> {
    const timedOut = new AbortController()
    const began = performance.now()
    const timeout = isLast || !isSafe(request) ? undefined : setTimeout(() => timedOut.abort(), this.#firstByteMs)
    try {
      const content = bodyOf(request, upstreamHeaders(request, this.#describeClient))
      const signal = AbortSignal.any([gone, timedOut.signal])
      const upstream = { method: request.method as 'GET', path: upstreamPath(request.url), ...content, signal }
      await pool.stream(upstream, ({ statusCode, headers }) => {
        clearTimeout(timeout)
        countOutgoingRequest(this.#what, performance.now() - began, statusCode)
        const unread = !request.complete && { connection: 'close' }
        return response.writeHead(statusCode, { ...endToEndHeaders(headers), ...unread })
      })
      return undefined
    } catch (error) {
      if (!response.headersSent) countOutgoingRequest(this.#what, performance.now() - began, undefined, 'no_answer')
      return error
    } finally {
      clearTimeout(timeout)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#targets.all.map((pool) => pool.destroy()))
  }
}

const isSafe = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

/** Whether the request may be repeated, because nothing was done yet or because it is safe to run twice. */
const mayRepeat = (request: IncomingMessage, failure: unknown): boolean =>
  isSafe(request) || (!request.readableDidRead && isUnsent(failure))

/** Whether no connection was established. */
const isUnsent = (failure: unknown): boolean =>
  failure instanceof errors.ConnectTimeoutError ||
  (failure instanceof Error &&
    'code' in failure &&
    /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND)$/.test(String(failure.code)))

/** The body to forward. A content length is sent only with a body, and the client library enforces it. */
function bodyOf(request: IncomingMessage, headers: IncomingHttpHeaders) {
  if (!hasBody(request)) return { headers, body: null }
  const length = request.headers['content-length']
  // A server may respond before reading the whole request. The unread rest must not break the connection to the client.
  const body = Readable.from(request.iterator({ destroyOnReturn: false }))
  return { headers: length === undefined ? headers : { ...headers, 'content-length': length }, body }
}
