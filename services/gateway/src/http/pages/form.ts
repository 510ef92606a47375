import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cookieSecrets } from '@parley/auth'
import { readAuthBody } from '../auth/json-body.ts'
import type { AuthContext } from '../auth/context.ts'
import { browserHandle, keptBrowserHandle } from '../browser-handle.ts'
import { Refusal } from '../failure.ts'
import { textOf } from '../text.ts'
import { html, type Html } from './html.ts'

const fieldName = 'form_token'

/** The hidden field that every form of ours holds: good in this browser only, for as long as its handle lasts. */
export function formToken(context: AuthContext, request: IncomingMessage, response: ServerResponse): Html {
  const handle = keptBrowserHandle(context, request, response)
  return html`<input type="hidden" name="${fieldName}" value="${tokenOf(context.cookieSigningSecret, handle)}" />`
}

/** The fields of a form that a page of ours sent. Throws a 403 when it may be another site's, a 415 when it is none. */
export async function readForm(context: AuthContext, request: IncomingMessage): Promise<ReadonlyMap<string, string>> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') throw new Refusal(415, 'That is not a form.')
  const fields = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(textOf(await readAuthBody(request)))) {
    if (fields.has(name)) throw new Refusal(400, 'A field of the form came twice.')
    fields.set(name, value)
  }
  const handle = browserHandle(context, request)
  const given = fields.get(fieldName) ?? ''
  const isOurs = (secret: string) => handle !== undefined && equal(given, tokenOf(secret, handle))
  if (!isOwnOrigin(context, request) || !cookieSecrets(context).some(isOurs))
    throw new Refusal(
      403,
      'The page was open for too long, or did not come from here. Go back, load it again and try once more.',
    )
  return fields
}

const tokenOf = (secret: string, handle: string): string =>
  createHmac('sha256', secret).update(`form\0${handle}`).digest('base64url')

/** Browsers name the origin of a form; where they name one, it must be ours. */
function isOwnOrigin({ publicUrl }: AuthContext, request: IncomingMessage): boolean {
  const { origin, host } = request.headers
  if (origin === undefined) return true
  return URL.canParse(origin) && (new URL(origin).host === host || new URL(origin).origin === new URL(publicUrl).origin)
}

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
