import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { hasBody } from '@parley/runtime'
import { errors, Pool } from 'undici'
import { endToEnd, onwardHeaders, onwardPath, type Forwarded } from './hop-by-hop.ts'
import { replyJson } from './reply.ts'

/** How long a server behind may take to connect, and to send the next bytes, in milliseconds. */
const connectMs = 5_000
const silentMs = 60_000

type Options = {
  what: string
  targets: readonly string[]
  /** Methods that are passed on. A body comes with POST only. */
  methods: readonly string[]
  forwarded: Forwarded
}

/**
 * Passes requests on to other deployables where no ingress does. The client library frames each request itself: nothing
 * that a client said of the length of its body is repeated unchecked, and a connection whose request or answer did not end
 * where it should is not used again.
 */
export class PassOn implements AsyncDisposable {
  readonly #what: string
  readonly #methods: readonly string[]
  readonly #forwarded: Forwarded
  readonly #pools: readonly Pool[]
  #turn = 0

  constructor({ what, targets, methods, forwarded }: Options) {
    this.#what = what
    this.#methods = methods
    this.#forwarded = forwarded
    const limits = { connect: { timeout: connectMs }, headersTimeout: silentMs, bodyTimeout: silentMs }
    this.#pools = targets.map((target) => new Pool(new URL(target).origin, limits))
  }

  /** `cors` goes with what the gateway answers itself. */
  async http(request: IncomingMessage, response: ServerResponse, cors: OutgoingHttpHeaders = {}): Promise<void> {
    const pool = this.#pools[this.#turn++ % this.#pools.length]
    if (!pool) return replyJson(request, response, 404, { error: `${this.#what} is not served here` }, cors)
    const { method = '' } = request
    if (!this.#methods.includes(method)) {
      const error = `use ${this.#methods[0]}`
      return replyJson(request, response, 405, { error }, { ...cors, allow: this.#methods.join(', ') })
    }
    const gone = new AbortController()
    const onClose = () => gone.abort()
    response.once('close', onClose)
    request.socket.once('close', onClose)
    try {
      const content = bodyOf(request, onwardHeaders(request, this.#forwarded))
      const onward = { method: method as 'GET', path: onwardPath(request.url), ...content, signal: gone.signal }
      await pool.stream(onward, ({ statusCode, headers }) => {
        const unread = !request.complete && { connection: 'close' }
        return response.writeHead(statusCode, { ...endToEnd(headers), ...unread })
      })
    } catch (error) {
      if (response.headersSent || response.destroyed) return void response.destroy()
      if (error instanceof errors.InvalidArgumentError)
        return await replyJson(request, response, 400, { error: 'the headers are malformed' }, cors)
      await replyJson(request, response, 503, { error: `${this.#what} is not available; try again` }, cors)
    } finally {
      request.socket.off('close', onClose)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()))
  }
}

/** What is sent on: the length of a body stands beside a body only, and the client library holds it to that. */
function bodyOf(request: IncomingMessage, headers: IncomingHttpHeaders) {
  if (!hasBody(request)) return { headers, body: null }
  const length = request.headers['content-length']
  // A server may answer before it has read everything: what is left must not end the connection with the client.
  const body = Readable.from(request.iterator({ destroyOnReturn: false }))
  return { headers: length === undefined ? headers : { ...headers, 'content-length': length }, body }
}
