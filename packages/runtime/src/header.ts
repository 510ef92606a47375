import type { IncomingHttpHeaders } from 'node:http'

/** The values of a repeated header are joined, except for those of which Node.js keeps only the first. */
export function headerOf({ headers }: { headers: IncomingHttpHeaders }, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
