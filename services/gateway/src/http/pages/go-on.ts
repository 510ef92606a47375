import type { IncomingMessage, ServerResponse } from 'node:http'
import { internalPath } from '@parley/auth'
import { redirect } from '../redirect.ts'
import { html } from './html.ts'
import { replyPage } from './page.ts'

/** Leaves a page that is done for a path of this server; anything else counts as "/". */
export function goOn(request: IncomingMessage, response: ServerResponse, given: string | undefined): Promise<void> {
  const path = internalPath(given) ?? '/'
  return path.startsWith('/oauth/') ? goThrough(request, response, path) : redirect(response, 303, path)
}

/**
 * Leaves for an address that ends, or may end, at another site. Browsers hold a redirect after a form to the page's
 * `form-action`, so the next step is a navigation of its own.
 */
export const goThrough = (request: IncomingMessage, response: ServerResponse, url: string): Promise<void> =>
  replyPage(request, response, { title: 'One moment', goTo: url, body: html`<p><a href="${url}">Continue</a></p>` })
