import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type ReceivedMail = { to: string; from: string; subject: string; text: string; html: string }

/** A temporary folder to which a process writes mails. */
export async function createMailFolder() {
  const path = await mkdtemp(join(tmpdir(), 'parley-mails-'))
  return {
    path,
    /** Oldest first; without an address, all mails. */
    async mails(to?: string) {
      const files = (await readdir(path)).filter((name) => name.endsWith('.eml')).sort()
      const mails = await Promise.all(files.map(async (name) => parseMail(await readFile(join(path, name), 'utf8'))))
      return mails.filter((mail) => to === undefined || mail.to === to)
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  }
}

export type MailFolder = Awaited<ReturnType<typeof createMailFolder>>

export function codeIn(mail: ReceivedMail | undefined): string {
  return /^\s+(\d{6})$/m.exec(mail?.text ?? '')?.[1] ?? 'no code'
}

/** Only as much MIME as the mails of this service need. */
export function parseMail(raw: string): ReceivedMail {
  const [head = '', ...rest] = raw.split(/\r?\n\r?\n/)
  const headers = headersOf(head)
  const body = rest.join('\r\n\r\n')
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get('content-type') ?? '')?.[1] ?? 'none'
  const parts = body.split(`--${boundary}`).map(partOf)
  const partWith = (type: string) => parts.find((part) => part.type.startsWith(type))?.text ?? ''
  return {
    to: headers.get('to') ?? '',
    from: headers.get('from') ?? '',
    subject: decodeWords(headers.get('subject') ?? ''),
    text: partWith('text/plain'),
    html: partWith('text/html'),
  }
}

function partOf(raw: string): { type: string; text: string } {
  const [head = '', ...rest] = raw.replace(/^\r?\n/, '').split(/\r?\n\r?\n/)
  const headers = headersOf(head)
  const body = rest.join('\r\n\r\n')
  const quoted = headers.get('content-transfer-encoding') === 'quoted-printable'
  return { type: headers.get('content-type') ?? '', text: quoted ? unquote(body) : body }
}

function headersOf(head: string): Map<string, string> {
  const lines = head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  return new Map(
    lines.map((line) => [(line.split(':')[0] ?? '').toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
}

const unquote = (text: string): string =>
  Buffer.from(
    text.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')

const decodeWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?Q\?(.*?)\?=/gi, (_, word: string) => unquote(word.replaceAll('_', ' ')))
