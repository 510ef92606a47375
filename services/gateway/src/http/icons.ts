import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthContext } from './auth/context.ts'
import { redirect } from './redirect.ts'
import { replyJson } from './reply.ts'

export const iconPaths: ReadonlySet<string> = new Set([
  '/favicon.ico',
  '/apple-touch-icon.png',
  '/apple-touch-icon-precomposed.png',
])

export async function serveIcon(context: AuthContext, request: IncomingMessage, response: ServerResponse) {
  request.resume()
  const { profile } = await context.describeServer()
  if (profile?.logoUrl) return redirect(response, 302, profile.logoUrl)
  return replyJson(request, response, 404, { error: 'not found: this server has no logo' })
}
