import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { acceptsEncoding } from '../accepted.ts'
import { replyJson } from '../reply.ts'
import type { ClientFile, Encoding } from './files.ts'

/**
 * At these paths the gateway serves the one page of the web client, which evaluates the path itself. Push notifications
 * link to paths below /chat/, mails and providers to others.
 */
const pages = new Set([
  '/',
  '/chat',
  '/login',
  '/register',
  '/invite',
  '/reset-password',
  '/sso/confirm',
  '/oauth/consent',
])
const isPage = (path: string): boolean => pages.has(path) || path.startsWith('/chat/') || path.startsWith('/manage/')

export class WebClient {
  readonly #files: ReadonlyMap<string, ClientFile>
  readonly #page: ClientFile | undefined
  readonly #pageHeaders: OutgoingHttpHeaders

  constructor(files: ReadonlyMap<string, ClientFile>, publicUrl: string) {
    this.#files = files
    this.#page = files.get('/index.html')
    this.#pageHeaders = pageHeaders(new URL(publicUrl).origin)
  }

  get isBuilt(): boolean {
    return this.#page !== undefined
  }

  serve(path: string, request: IncomingMessage, response: ServerResponse): boolean {
    const page = isPage(path) ? this.#page : undefined
    const file = page ?? (path === '/index.html' ? undefined : this.#files.get(path))
    if (!file) return false
    request.resume()
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      void replyJson(request, response, 405, { error: 'method not allowed: use GET' }, { allow: 'GET, HEAD' })
      return true
    }
    const headers: OutgoingHttpHeaders = {
      'content-type': file.contentType,
      'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      etag: file.etag,
      ...(file.compressed.size > 0 && { vary: 'accept-encoding' }),
      ...(page && this.#pageHeaders),
    }
    if (matchesEtag(request, file.etag)) response.writeHead(304, headers).end()
    else send(file, 200, headers, request, response)
    return true
  }

  /**
   * Status 404 with the page of the web client, for a browser that opened an unknown path. False for other requests.
   */
  serveNotFound(request: IncomingMessage, response: ServerResponse): boolean {
    if (!this.#page || !acceptsHtml(request)) return false
    request.resume()
    const headers = {
      'content-type': this.#page.contentType,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      vary: 'accept, accept-encoding',
      ...this.#pageHeaders,
    }
    send(this.#page, 404, headers, request, response)
    return true
  }
}

/** Scripts and images do not request HTML. */
const acceptsHtml = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  /(^|,)\s*text\/html\s*(,|;(?!\s*q=0(\.0*)?\s*(,|$))|$)/i.test(headers.accept ?? '')

function send(
  file: ClientFile,
  status: 200 | 404,
  headers: OutgoingHttpHeaders,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const encoding = chooseEncoding(request, file)
  const body = (encoding && file.compressed.get(encoding)) ?? file.body
  response.writeHead(status, {
    ...headers,
    ...(encoding && { 'content-encoding': encoding }),
    'content-length': body.length,
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

function matchesEtag({ headers }: IncomingMessage, etag: string): boolean {
  const known = headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''))
  return known !== undefined && (known.includes(etag) || known.includes('*'))
}

function chooseEncoding({ headers }: IncomingMessage, { compressed }: ClientFile): Encoding | undefined {
  return [...compressed.keys()].find((encoding) => acceptsEncoding(headers['accept-encoding'], encoding))
}

/**
 * Only two Trusted Types policies, that of the rendering library and that for workers, may turn strings into markup or
 * into the URL of a worker. Images must come from this server, so that no other server learns who views them. Video and
 * audio may come from a bucket at any https address.
 */
function pageHeaders(publicOrigin: string): OutgoingHttpHeaders {
  const own = `'self' blob: data: ${publicOrigin}`
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `img-src ${own}`,
      `media-src ${own} https:`,
      `connect-src 'self' ${publicOrigin} ${publicOrigin.replace(/^http/, 'ws')}`,
      "font-src 'self'",
      "manifest-src 'self'",
      "worker-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types svelte-trusted-html parley-worker',
    ].join('; '),
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy':
      'camera=(self), microphone=(self), display-capture=(self), geolocation=(), payment=(), usb=()',
  }
}
