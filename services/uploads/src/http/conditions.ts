import type { IncomingHttpHeaders } from 'node:http'

export type Validators = { etag: string; lastModified: Date }

/** Compares by tag, or by time if the client sent no tag. */
export function isUnchanged(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const known = headers['if-none-match']
  if (known !== undefined) return isKnownTag(known, etag)
  return wholeSeconds(lastModified) <= Date.parse(headers['if-modified-since'] ?? '')
}

/** If-Range names the state of which the client has a part. If the file has another state now, no range may be sent. */
export function mayServeRange(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const given = headers['if-range']
  if (given === undefined || given === etag) return true
  return typeof given === 'string' && !given.includes('"') && wholeSeconds(lastModified) === Date.parse(given)
}

function isKnownTag(ifNoneMatch: string, tag: string): boolean {
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((given) => given.trim().replace(/^W\//, '') === tag)
}

const wholeSeconds = (date: Date): number => Math.floor(date.getTime() / 1000) * 1000
