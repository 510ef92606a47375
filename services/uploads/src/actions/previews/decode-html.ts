import { TextDecoder } from 'node:util'

/**
 * Decodes by the byte order mark, else by the charset in `contentType`, else by that in a `<meta>` element. Uses UTF-8
 * if there is none, or the first one found is unknown.
 */
export function decodeHtml(bytes: Buffer, contentType: string): string {
  const ofMark = charsetOfMark(bytes)
  const charset =
    ofMark ?? /;\s*charset\s*=\s*"?([\w:.-]+)/i.exec(contentType)?.[1] ?? declaredCharset(bytes) ?? 'utf-8'
  return decoderFor(charset).decode(bytes)
}

function charsetOfMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return undefined
}

const declaredCharset = (bytes: Buffer): string | undefined =>
  /<meta[^>]+charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(bytes.toString('latin1', 0, 1024))?.[1]

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}
