import type { IncomingMessage } from 'node:http'

/** A header of a request; what was sent several times is one list. */
export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
