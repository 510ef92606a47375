import type { OutgoingHttpHeaders } from 'node:http'
import { isCode, mayHoldScripts } from '../domain/media-type.ts'

/**
 * What a browser is told of bytes that somebody sent. Whoever sent them also said what they are: nothing that could run
 * is opened on our origin, not even as a part of a page of ours.
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

/** What may stand in the name of a file, but neither in a header nor on a disk, or makes a name look like another. */
const misleading = /[\p{Cc}\p{Cs}/\\\u202a-\u202e\u2066-\u2069]/gu

function disposition(what: 'attachment' | 'inline', filename: string): string {
  const name = encodeURIComponent(filename.replace(misleading, '_')).replace(
    /['()*!]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${what}; filename*=UTF-8''${name}`
}
