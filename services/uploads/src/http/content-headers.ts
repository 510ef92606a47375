import type { OutgoingHttpHeaders } from 'node:http'
import { isCode, mayHoldScripts } from '../domain/media-type.ts'

/**
 * The uploader chose the type. A file that could run scripts is downloaded, and never opened on our origin, not even in
 * a frame.
 */
export function contentHeaders({ contentType, filename }: { contentType: string; filename: string }) {
  const mayRun = mayHoldScripts(contentType)
  return {
    // With application/octet-stream, browsers refuse to use the file as a script, style sheet or module of a page.
    'content-type': isCode(contentType) ? 'application/octet-stream' : contentType,
    'content-disposition': disposition(mayRun ? 'attachment' : 'inline', filename),
    'x-content-type-options': 'nosniff',
    ...(mayRun && { 'content-security-policy': "sandbox; default-src 'none'" }),
  } satisfies OutgoingHttpHeaders
}

/** These characters are invalid in a header or on a disk, or can disguise a file name. */
const unsafe = /[\p{Cc}\p{Cs}/\\\u202a-\u202e\u2066-\u2069]/gu

function disposition(type: 'attachment' | 'inline', filename: string): string {
  const name = encodeURIComponent(filename.replace(unsafe, '_')).replace(
    /['()*!]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${type}; filename*=UTF-8''${name}`
}
