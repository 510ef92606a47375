import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthContext } from '../auth/context.ts'
import { failureOf } from '../failure.ts'
import { html } from './html.ts'
import { replyPage } from './page.ts'
import { languageOf, pageText, type PageText } from './texts.ts'

type Message = { status?: number; heading: PageText; text: PageText; headers?: Record<string, string> }

export function replyMessage(
  request: IncomingMessage,
  response: ServerResponse,
  { status = 200, heading, text, headers = {} }: Message,
): Promise<void> {
  const language = languageOf(request)
  const title = pageText(language, heading)
  const body = html`<h1>${title}</h1>
    <p ${status >= 400 && html`role="alert"`}>${pageText(language, text)}</p>
    <p><a href="/login">${pageText(language, 'signIn')}</a></p>`
  return replyPage(request, response, { status, language, title, body, headers })
}

const texts = new Map<number, PageText>([
  [405, 'byLinkOnly'],
  [429, 'tooMany'],
  [503, 'unavailable'],
  [504, 'unavailable'],
])

/** The messages of errors are for authors of clients and are not shown. */
export function replyFailure(
  context: AuthContext,
  request: IncomingMessage,
  response: ServerResponse,
  thrown: unknown,
): Promise<void> {
  const { status, headers } = failureOf(thrown, context.metrics.reportFailure)
  return replyMessage(request, response, {
    status,
    heading: 'failed',
    text: texts.get(status) ?? 'unexpected',
    headers,
  })
}
