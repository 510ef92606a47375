import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { countOutgoingRequest, hasBody } from '@parley/runtime'
import { errors, Pool } from 'undici'
import { Targets } from '../clients/targets.ts'
import { holdStalledBytes } from './held-bytes.ts'
import { endToEndHeaders, upstreamHeaders, upstreamPath, type DescribeClient } from './hop-by-hop.ts'
import { replyJson } from './reply.ts'

const connectMs = 2_000
const idleMs = 60_000
const defaultFirstByteMs = 5_000

type Options = {
  what: 'assets' | 'webhooks'
  targets: readonly string[]
  methods: readonly string[]
  describeClient: DescribeClient
  /** How long to wait for the start of a response to GET or HEAD before the next server is tried. Default: 5 s. */
  firstByteMs?: number
}

/** `gone` is aborted when the client has disconnected. */
type Exchange = { request: IncomingMessage; response: ServerResponse; gone: AbortSignal; isLast: boolean }

/**
 * If a server does not answer, the next one is tried, unless the first may have received a request that must not be
 * repeated. undici frames each request anew, so that the body length stated by the client is never forwarded unchecked.
 * A connection whose request or response did not end properly is not reused.
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

  /** `cors` is added to responses of the gateway itself. */
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

const mayRepeat = (request: IncomingMessage, failure: unknown): boolean =>
  isSafe(request) || (!request.readableDidRead && isUnsent(failure))

const isUnsent = (failure: unknown): boolean =>
  failure instanceof errors.ConnectTimeoutError ||
  (failure instanceof Error &&
    'code' in failure &&
    /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND)$/.test(String(failure.code)))

/** A content length is sent only with a body; undici enforces it. */
function bodyOf(request: IncomingMessage, headers: IncomingHttpHeaders) {
  if (!hasBody(request)) return { headers, body: null }
  const length = request.headers['content-length']
  // A server may respond before reading the whole request. The unread rest must not break the connection to the client.
  const body = Readable.from(request.iterator({ destroyOnReturn: false }))
  return { headers: length === undefined ? headers : { ...headers, 'content-length': length }, body }
}
