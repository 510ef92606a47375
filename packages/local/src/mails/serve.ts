import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { findMail, listMails } from './folder.ts'
import { framedHtml, listPage, mailPage } from './pages.ts'

const commonPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
const pagePolicy = `${commonPolicy}; frame-src 'self'; frame-ancestors 'none'`
const mailHtmlPolicy = `${commonPolicy.replace("base-uri 'none'; ", '')}; img-src data:; sandbox allow-popups allow-popups-to-escape-sandbox`

export type MailPage = { readonly url: string; close: () => Promise<void> }

/**
 * Mails contain codes and links for signing in, so the URL has a secret part: neither other users of the machine nor
 * web pages can read the mails.
 */
export async function serveMails(folder: string, port: number, secret: string): Promise<MailPage> {
  const server = createServer((request, response) => {
    respond(folder, secret, request, response).catch(() => response.destroy())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${port}/${secret}/`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close').catch(() => undefined)
    },
  }
}

async function respond(folder: string, secret: string, request: IncomingMessage, response: ServerResponse) {
  const [, given = '', name = '', part] = (request.url ?? '').split('?')[0]?.split('/') ?? []
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (!isRead || !isSame(given, secret)) return void send(response, 404, 'not found', pagePolicy, 'text/plain')
  if (name === '') return void send(response, 200, listPage(await listMails(folder)), pagePolicy)
  const message = await findMail(folder, name)
  if (!message || (part !== undefined && part !== 'html'))
    return void send(response, 404, 'not found', pagePolicy, 'text/plain')
  if (part === 'html') return void send(response, 200, framedHtml(message), mailHtmlPolicy)
  send(response, 200, mailPage(name, message), pagePolicy)
}

function send(response: ServerResponse, status: number, body: string, policy: string, type = 'text/html') {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  response.end(body)
}

const isSame = (given: string, secret: string): boolean => timingSafeEqual(digest(given), digest(secret))
const digest = (text: string) => createHash('sha256').update(text).digest()
