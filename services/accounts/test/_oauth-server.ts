import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { Browser } from './_browser.ts'

export const clientId = 'client of parley'
export const clientSecret = 'its secret & more'

export type Answer = { status?: number; type?: string; body: unknown }
export type Grant = { login: string; scopes: string[] }
type Code = Grant & { redirectUri: string; challenge: string }

/** According to the documentation of the provider. */
export type ProviderBehaviour = {
  authorizePath: string
  tokenPath: string
  /** The request is granted, or refused with an OAuth error. */
  token: (request: IncomingMessage, outcome: { accessToken: string; scopes: string[] } | { error: string }) => Answer
  /** By path; undefined means 404. */
  api: Record<string, (grant: Grant, request: IncomingMessage) => Answer | undefined>
  unauthorized: Answer
}

export async function startOAuthServer(callback: string, behaviour: ProviderBehaviour) {
  /** Of each authorize request. */
  const authorizeQueries: URLSearchParams[] = []
  const codes = new Map<string, Code>()
  const tokens = new Map<string, Grant>()

  const authorize = (query: URLSearchParams): Answer => {
    authorizeQueries.push(query)
    const known = query.get('client_id') === clientId && query.get('redirect_uri') === callback
    if (!known || query.get('response_type') !== 'code')
      return { status: 400, type: 'text/html', body: 'no such client' }
    const hidden = [...query].map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`).join('')
    return { type: 'text/html', body: `<form action="/sign-in" method="post">${hidden}<input name="login"></form>` }
  }

  const signIn = (form: URLSearchParams): URL => {
    const back = new URL(form.get('redirect_uri') ?? '')
    back.searchParams.set('state', form.get('state') ?? '')
    const login = form.get('login') ?? ''
    if (login === '') {
      back.searchParams.set('error', 'access_denied')
      return back
    }
    const code = randomUUID()
    const scopes = (form.get('scope') ?? '').split(' ')
    codes.set(code, { login, scopes, redirectUri: callback, challenge: form.get('code_challenge') ?? '' })
    back.searchParams.set('code', code)
    return back
  }

  const exchangeCode = (form: URLSearchParams): { accessToken: string; scopes: string[] } | { error: string } => {
    const authentic = form.get('client_id') === clientId && form.get('client_secret') === clientSecret
    if (!authentic) return { error: 'invalid_client' }
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const valid = code && code.redirectUri === form.get('redirect_uri') && code.challenge === verifier
    if (!valid || form.get('grant_type') !== 'authorization_code') return { error: 'invalid_grant' }
    const accessToken = randomUUID()
    tokens.set(accessToken, code)
    return { accessToken, scopes: code.scopes }
  }

  const answerTo = async (request: IncomingMessage): Promise<Answer | URL> => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const form = new URLSearchParams(await textOf(request))
    if (url.pathname === behaviour.authorizePath) return authorize(url.searchParams)
    if (url.pathname === '/sign-in') return signIn(form)
    if (url.pathname === behaviour.tokenPath) return behaviour.token(request, exchangeCode(form))
    const grant = tokens.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '')
    if (!grant) return behaviour.unauthorized
    return behaviour.api[url.pathname]?.(grant, request) ?? { status: 404, body: { message: 'Not Found' } }
  }

  const server = createServer((request, response) => {
    void answerTo(request).then((answer) => {
      if (answer instanceof URL) return response.writeHead(302, { location: answer.href }).end()
      const { status = 200, type = 'application/json; charset=utf-8', body } = answer
      return response
        .writeHead(status, { 'content-type': type })
        .end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, authorizeQueries, stop, [Symbol.asyncDispose]: stop }
}

export type OAuthServer = Awaited<ReturnType<typeof startOAuthServer>>

/** Signs in on the page of the server; with an empty login, declines. Returns the callback URL with its parameters. */
export async function signInOn({ url }: OAuthServer, authorizeUrl: string, login: string): Promise<URL> {
  const browser = new Browser()
  const page = await browser.open(authorizeUrl)
  const back = await browser.submit(page, { login }, ({ origin }) => origin !== new URL(url).origin)
  return back.url
}
