import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthContext } from '../auth/context.ts'
import { failureOf } from '../failure.ts'
import { html } from './html.ts'
import { replyPage } from './page.ts'

type Message = { status?: number; heading: string; text: string; headers?: Record<string, string> }

/** Sends a page that shows a message. */
export function replyMessage(
  context: AuthContext,
  request: IncomingMessage,
  response: ServerResponse,
  { status = 200, heading, text, headers = {} }: Message,
): Promise<void> {
  const body = html`<h1>${heading}</h1>
    <p ${status >= 400 && html`role="alert"`}>${text}</p>
    <p><a href="/login">Go to sign-in</a></p>`
  return replyPage(request, response, { status, title: heading, body, headers })
}

/** Sends a page about a failure. */
export function replyFailure(
  context: AuthContext,
  request: IncomingMessage,
  response: ServerResponse,
  thrown: unknown,
): Promise<void> {
  const { status, text, headers } = failureOf(thrown, context.metrics.reportFailure)
  return replyMessage(context, request, response, { status, heading: 'Something went wrong', text, headers })
}
