import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { reasonOf, type Report } from './finding.ts'

const dayMs = 86_400_000
/** A certificate that expires within this many days is reported. Automatic renewals happen earlier. */
const warnDays = 14
const connectTimeoutMs = 5_000

export type TlsServer = {
  /** A name or an IP address; an IPv6 address may have brackets, as in a URL. */
  host: string
  port: number
  /** Name in its certificate, if it is not the host. */
  servername?: string | undefined
  /** Default: the certificate must be for `servername` or `host`, and from an authority that this machine trusts. */
  trust?: Pick<ConnectionOptions, 'ca' | 'checkServerIdentity'>
  /** Names the file of `trust.ca` in the advice; undefined for the authorities of this machine. */
  authorities?: string | undefined
  /** Messages before TLS begins, for protocols that require them. */
  prelude?: (socket: Socket) => Promise<void>
}

/**
 * Reports whether a server presents a certificate that is trusted (see `TlsServer.trust`), and when it expires.
 * `ifUnreachable`: the result if no TLS connection can be opened.
 */
export async function reportServerCertificate(
  report: Report,
  check: string,
  server: TlsServer,
  ifUnreachable: 'warn' | 'fail' = 'fail',
): Promise<void> {
  const at = `${server.host}:${server.port}`
  try {
    const socket = await openTls(server)
    const { authorized, authorizationError: problem } = socket
    const certificate = socket.getPeerX509Certificate()
    socket.destroy()
    if (certificate === undefined) return report.fail(check, `${at} presents no certificate`, renew)
    if (reportExpiry(report, check, `the certificate of ${at}`, certificate) && !authorized)
      report.fail(check, `the certificate of ${at} is not trusted: ${reasonOf(problem)}`, adviceOnTrust(server))
  } catch (error) {
    report[ifUnreachable](
      check,
      `no TLS connection to ${at}: ${isAborted(error) ? 'no response within 5 s' : reasonOf(error)}`,
      'Check host and port, that the server speaks TLS there, and that no firewall blocks the connection.',
    )
  }
}

/**
 * Reports when the certificate in a file (PEM) expires. A file with the `own` certificate begins with it, and its chain
 * follows. In a file of `authorities`, the last certificate to expire is reported, because large bundles always contain
 * expired ones.
 */
export async function reportCertificateFile(
  report: Report,
  check: string,
  file: string,
  kind: 'own' | 'authorities',
): Promise<void> {
  try {
    const blocks = (await readFile(file, 'latin1')).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
    const [first, ...others] = (blocks ?? []).map((block) => new X509Certificate(block))
    if (first === undefined) throw new Error('it contains no certificate')
    const last = others.reduce((one, other) => (expiryOf(other) > expiryOf(one) ? other : one), first)
    if (kind === 'own') reportExpiry(report, check, `the certificate in ${file}`, first, replace)
    else reportExpiry(report, check, `the last certificate to expire in ${file}`, last, replaceAuthorities)
  } catch (error) {
    report.fail(check, `${file} cannot be read: ${reasonOf(error)}`, 'Correct the path, or put the certificates there.')
  }
}

const adviceOnTrust = ({ authorities }: TlsServer): string =>
  authorities === undefined
    ? 'Use a certificate for this host name from an authority that this machine trusts, or add the authority to the file of NODE_EXTRA_CA_CERTS.'
    : `Use a certificate for this host name from an authority in ${authorities}, or put the authority into that file.`

const isAborted = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

const renew = 'Renew the certificate, and let the server load the new one.'
const replace = 'Renew the certificate, and restart the processes that use the file.'
const replaceAuthorities =
  'Put a newer certificate of the authority into the file, and restart the processes that use it.'
const expiryOf = ({ validTo }: X509Certificate): number => Date.parse(validTo)

/** Returns whether the certificate is still valid. */
function reportExpiry(
  report: Report,
  check: string,
  what: string,
  certificate: X509Certificate,
  next = renew,
): boolean {
  const days = (expiryOf(certificate) - Date.now()) / dayMs
  const date = new Date(expiryOf(certificate)).toISOString().slice(0, 10)
  if (days < 0) report.fail(check, `${what} expired on ${date}`, next)
  else if (days < warnDays) report.warn(check, `${what} expires in ${Math.floor(days)} days, on ${date}`, next)
  else report.ok(check, `${what} is valid until ${date}`)
  return days >= 0
}

async function openTls({ host: hostInUrl, port, servername, trust, prelude }: TlsServer): Promise<TLSSocket> {
  const host = hostInUrl.replace(/^\[|\]$/g, '')
  const signal = AbortSignal.timeout(connectTimeoutMs)
  const plain = connectTcp({ host, port })
  // An error rejects the operation that waits for the socket; later errors do not matter.
  plain.on('error', () => undefined)
  signal.addEventListener('abort', () => plain.destroy(), { once: true })
  await once(plain, 'connect', { signal })
  await prelude?.(plain)
  plain.pause()
  const expected = servername ?? host
  const name = isIP(expected) ? {} : { servername: expected }
  const socket = connectTls({ ...trust, socket: plain, ...name, host: expected, rejectUnauthorized: false })
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect', { signal })
  return socket
}

/** The port of a URL, or the default of https, wss, rediss and tls (NATS); 5432 for any other scheme. */
export const portOf = ({ protocol, port }: URL): number =>
  Number(port) ||
  (/^(https|wss):$/.test(protocol) ? 443 : protocol === 'rediss:' ? 6379 : protocol === 'tls:' ? 4222 : 5432)

export async function readChunk(socket: Socket): Promise<string> {
  const [data] = (await once(socket, 'data', { signal: AbortSignal.timeout(connectTimeoutMs) })) as [Buffer]
  return data.toString('latin1')
}

export async function requestPostgresTls(socket: Socket): Promise<void> {
  socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]))
  if ((await readChunk(socket)) !== 'S') throw new Error('the server does not offer TLS')
}

export async function startMailTls(socket: Socket): Promise<void> {
  await readMailResponse(socket, 'greeted')
  for (const line of ['EHLO parley.invalid', 'STARTTLS']) {
    socket.write(`${line}\r\n`)
    await readMailResponse(socket, `answered ${line}`)
  }
}

/** Reads a whole response: its last line has a space after the code. */
async function readMailResponse(socket: Socket, when: string): Promise<void> {
  let response = ''
  while (!/^\d{3} .*\r\n$/m.test(response)) response += await readChunk(socket)
  if (!response.startsWith('2')) throw new Error(`the server ${when} with ${response.trim()}`)
}
