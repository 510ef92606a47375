import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Code, ConnectError } from '@connectrpc/connect'
import type { AuthContext } from '../auth/context.ts'
import { countRequest } from '../count-request.ts'
import { readAuthBody } from '../auth/json-body.ts'
import { failureOf, Refusal } from '../failure.ts'
import { replyJson } from '../reply.ts'
import { textOf } from '../text.ts'

type Fields = Partial<Record<string, string>>

class TokenError extends Error {
  readonly code: string

  constructor(code: string, description: string) {
    super(description)
    this.code = code
  }
}

/** Pages of any origin may call this route, because the code authorizes the request. */
export async function serveToken(
  context: AuthContext,
  request: IncomingMessage,
  response: ServerResponse,
  cors: OutgoingHttpHeaders,
): Promise<void> {
  for (const [name, value] of Object.entries(cors)) if (value !== undefined) response.setHeader(name, value)
  try {
    countRequest(context, request)
    if (request.method !== 'POST') throw new Refusal(405, 'method not allowed: use POST', { allow: 'POST, OPTIONS' })
    const session = await context.signIn.exchangeAuthorizationCode(toExchange(await readFields(request)))
    const { userId: id, login, displayName, token } = session
    const user = { id, login, displayName }
    await replyJson(request, response, 200, { access_token: token, token_type: 'Bearer', user })
  } catch (thrown) {
    request.resume()
    const { status, error, text, headers } = tokenFailure(thrown, context)
    await replyJson(request, response, status, { error, error_description: text }, headers)
  }
}

function toExchange(fields: Fields) {
  const { grant_type: grantType, code, code_verifier: codeVerifier, redirect_uri: redirectUri } = fields
  if (!grantType) throw new TokenError('invalid_request', 'grant_type is missing')
  if (grantType !== 'authorization_code')
    throw new TokenError('unsupported_grant_type', 'grant_type must be authorization_code')
  if (!code || !codeVerifier || !redirectUri)
    throw new TokenError('invalid_request', 'code, code_verifier and redirect_uri are required')
  return { code, codeVerifier, redirectUri }
}

/** Throws for a repeated field, because parsers differ in which one they use. */
async function readFields(request: IncomingMessage): Promise<Fields> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json' && type !== 'application/x-www-form-urlencoded')
    throw new TokenError('invalid_request', 'send a form or JSON')
  const body = await readAuthBody(request)
  try {
    const text = textOf(body)
    const [names, pairs] = type === 'application/json' ? readJson(text) : readForm(text)
    if (new Set(names).size === names.length) return Object.fromEntries(pairs)
  } catch {
    throw new TokenError('invalid_request', 'the body cannot be read')
  }
  throw new TokenError('invalid_request', 'a field is given twice')
}

type Pair = [name: string, value: string]

function readForm(text: string): [names: string[], pairs: Pair[]] {
  const pairs = [...new URLSearchParams(text)]
  return [pairs.map(([name]) => name), pairs]
}

function readJson(text: string): [names: string[], pairs: Pair[]] {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object')
  const pairs = Object.entries(value).filter((pair): pair is Pair => typeof pair[1] === 'string')
  return [fieldNames(text), pairs]
}

/** The field names of the outermost object in their order, including repeated ones. The text must be valid JSON. */
function fieldNames(text: string): string[] {
  const names: string[] = []
  let depth = 0
  for (const [token, quoted, colon] of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g))
    if (quoted === undefined) depth += token === '{' || token === '[' ? 1 : -1
    else if (colon !== undefined && depth === 1) names.push(String(JSON.parse(quoted)))
  return names
}

function tokenFailure(thrown: unknown, { metrics }: AuthContext) {
  if (thrown instanceof TokenError) return { status: 400, error: thrown.code, text: thrown.message, headers: {} }
  if (thrown instanceof ConnectError && thrown.code === Code.InvalidArgument)
    return { status: 400, error: 'invalid_grant', text: thrown.rawMessage, headers: {} }
  const failure = failureOf(thrown, metrics.reportFailure)
  return { ...failure, error: failure.status < 500 ? 'invalid_request' : 'server_error' }
}
