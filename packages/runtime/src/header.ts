import type { IncomingHttpHeaders } from 'node:http'

/** A header of a request; what was sent several times is one list. */
export function headerOf({ headers }: { headers: IncomingHttpHeaders }, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
