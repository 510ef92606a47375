import type { OutgoingHttpHeaders } from 'node:http'
import { isCode, mayHoldScripts } from '../domain/media-type.ts'

/**
 * Headers for uploaded bytes. The uploader also chose their type, so a file that could run is never opened on our
 * origin, not even inside a page of ours.
 */
export function contentHeaders({ contentType, filename }: { contentType: string; filename: string }) {
  const active = mayHoldScripts(contentType)
  return {
    'content-type': isCode(contentType) ? 'application/octet-stream' : contentType,
    'content-disposition': disposition(active ? 'attachment' : 'inline', filename),
    'x-content-type-options': 'nosniff',
    ...(active && { 'content-security-policy': "sandbox; default-src 'none'" }),
  } satisfies OutgoingHttpHeaders
}

/** Characters that are invalid in a header or on a disk, or could disguise a file name. */
const misleading = /[\p{Cc}\p{Cs}/\\\u202a-\u202e\u2066-\u2069]/gu

function disposition(what: 'attachment' | 'inline', filename: string): string {
  const name = encodeURIComponent(filename.replace(misleading, '_')).replace(
    /['()*!]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${what}; filename*=UTF-8''${name}`
}
