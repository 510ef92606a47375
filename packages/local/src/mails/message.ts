export type Message = { from: string; to: string; subject: string; date: string; text: string; html: string }

type Entity = { headers: ReadonlyMap<string, string>; body: string }

/**
 * Reads the headers, and the first text and HTML parts at any depth, decoded as UTF-8. What is missing is empty; what
 * is badly encoded is decoded as far as possible.
 */
export function readMessage(raw: string): Message {
  const entity = split(raw)
  const header = (name: string) => decodeWords(entity.headers.get(name) ?? '')
  return {
    from: header('from'),
    to: header('to'),
    subject: header('subject'),
    date: header('date'),
    text: partOf(entity, 'text/plain') ?? '',
    html: partOf(entity, 'text/html') ?? '',
  }
}

function split(raw: string): Entity {
  const end = /\r?\n\r?\n/.exec(raw)
  const head = end ? raw.slice(0, end.index) : raw
  const headers = new Map<string, string>()
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  return { headers, body: end ? raw.slice(end.index + end[0].length) : '' }
}

function partOf({ headers, body }: Entity, type: string): string | undefined {
  const contentType = headers.get('content-type') ?? 'text/plain'
  const boundary = /^multipart\/.*boundary=("?)([^";]+)\1/i.exec(contentType)?.[2]
  if (boundary === undefined)
    return contentType.toLowerCase().startsWith(type)
      ? decodeBody(body, headers.get('content-transfer-encoding'))
      : undefined
  for (const part of body.split(`--${boundary}`).slice(1)) {
    if (part.startsWith('--')) break
    const found = partOf(split(part.replace(/^\r?\n/, '')), type)
    if (found !== undefined) return found
  }
  return undefined
}

function decodeBody(body: string, encoding = '7bit'): string {
  if (/^base64$/i.test(encoding)) return Buffer.from(body, 'base64').toString('utf8')
  return /^quoted-printable$/i.test(encoding) ? decodeQuoted(body.replace(/[ \t]*=\r?\n/g, '')) : body
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-Fa-f]{2})|[^\x00-\x7f]+/g, (found: string, hex: string | undefined) =>
    hex === undefined ? Buffer.from(found, 'utf8').toString('latin1') : String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : decodeQuoted(word.replaceAll('_', ' ')),
    )
}
