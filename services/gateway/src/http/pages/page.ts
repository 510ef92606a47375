import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { reply } from '../reply.ts'
import { html, Html } from './html.ts'
import { style } from './style.ts'
import type { PageLanguage } from './texts.ts'

type Page = { status?: number; language: PageLanguage; title: string; body: Html; headers?: Record<string, string> }

// The hash covers the whole content of the element, so nothing else may be in it.
const styleElement = new Html(`<style>${style}</style>`)
const styleHash = createHash('sha256').update(style).digest('base64')

const securityHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}

export function replyPage(request: IncomingMessage, response: ServerResponse, page: Page): Promise<void> {
  const { status = 200, language, title, body, headers } = page
  const markup = html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        ${styleElement}
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html> `
  return reply(request, response, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', ...securityHeaders, ...headers },
    body: Buffer.from(markup.text),
  })
}
