import type { IncomingHttpHeaders } from 'node:http'

/** What tells one state of a file from another. */
export type Validators = { etag: string; lastModified: Date }

/** Whether whoever asks has it already: by its tag, and by its time for those who name no tag. */
export function isUnchanged(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const known = headers['if-none-match']
  if (known !== undefined) return isKnownTag(known, etag)
  return wholeSeconds(lastModified) <= Date.parse(headers['if-modified-since'] ?? '')
}

/** Whether a part may be sent: it is of the state that whoever asks has parts of. */
export function rangeHolds(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const given = headers['if-range']
  if (given === undefined || given === etag) return true
  return typeof given === 'string' && !given.includes('"') && wholeSeconds(lastModified) === Date.parse(given)
}

function isKnownTag(ifNoneMatch: string, tag: string): boolean {
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((given) => given.trim().replace(/^W\//, '') === tag)
}

/** As precise as a date in a header. */
const wholeSeconds = (date: Date): number => Math.floor(date.getTime() / 1000) * 1000
