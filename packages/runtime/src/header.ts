import type { IncomingHttpHeaders } from 'node:http'

/** Repeated headers are joined into one list. */
export function headerOf({ headers }: { headers: IncomingHttpHeaders }, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
