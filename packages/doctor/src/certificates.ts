import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { reasonOf, type Report } from './finding.ts'

const dayMs = 86_400_000
/** Days before its expiry from which a certificate is reported; automatic renewals happen earlier. */
const soonDays = 14
const connectMs = 5_000

/** A server with TLS. */
export type TlsPlace = {
  /** A name or an address; brackets around one of IPv6, as in a URL, do not matter. */
  host: string
  port: number
  /** Name in its certificate, if it is not the host. */
  servername?: string | undefined
  /** How the certificate is checked; by default for its name and with the authorities of this machine. */
  trust?: Pick<ConnectionOptions, 'ca' | 'checkServerIdentity'>
  /** The file with its authorities as a setting names it, instead of those of this machine: for advice. */
  authorities?: string | undefined
  /** Messages before TLS begins, for protocols that require them. */
  prelude?: (socket: Socket) => Promise<void>
}

/**
 * Reports whether a server presents a certificate that this machine trusts, and when it expires. `away`: the level of
 * the finding if the server cannot be reached.
 */
export async function reportServerCertificate(
  report: Report,
  check: string,
  place: TlsPlace,
  away: 'warn' | 'fail' = 'fail',
): Promise<void> {
  const at = `${place.host}:${place.port}`
  try {
    const socket = await openTls(place)
    const { authorized, authorizationError: problem } = socket
    const certificate = socket.getPeerX509Certificate()
    socket.destroy()
    if (certificate === undefined) return report.fail(check, `${at} presents no certificate`, renew)
    if (reportEnd(report, check, `the certificate of ${at}`, certificate) && !authorized)
      report.fail(check, `the certificate of ${at} is not trusted: ${reasonOf(problem)}`, adviceOnTrust(place))
  } catch (error) {
    report[away](
      check,
      `no TLS with ${at}: ${isAborted(error) ? 'no answer within 5 s' : reasonOf(error)}`,
      'Check host and port, that the server speaks TLS there, and that no firewall is between.',
    )
  }
}

/**
 * Reports when the certificate in a file (PEM) expires. Of `own` certificates the first is used, which precedes its
 * chain; of `authorities` the last to expire, because large bundles always contain expired ones.
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
    if (first === undefined) throw new Error('it holds no certificate')
    const last = others.reduce((one, other) => (endOf(other) > endOf(one) ? other : one), first)
    if (kind === 'own') reportEnd(report, check, `the certificate in ${file}`, first, replace)
    else reportEnd(report, check, `the last certificate to end in ${file}`, last, replaceAuthorities)
  } catch (error) {
    report.fail(check, `${file} cannot be read: ${reasonOf(error)}`, 'Correct the path, or put the certificates there.')
  }
}

const adviceOnTrust = ({ authorities }: TlsPlace): string =>
  authorities === undefined
    ? 'Use a certificate for this host name from an authority that this machine trusts, or name the authority in NODE_EXTRA_CA_CERTS.'
    : `Use a certificate for this host name from an authority in ${authorities}, or put the authority into that file.`

const isAborted = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

const renew = 'Renew it, and let the server load the new one.'
const replace = 'Renew it, and restart the processes that use the file.'
const replaceAuthorities =
  'Put a newer certificate of the authority into the file, and restart the processes that use it.'
const endOf = ({ validTo }: X509Certificate): number => Date.parse(validTo)

/** Whether the certificate has not ended. */
function reportEnd(report: Report, check: string, what: string, certificate: X509Certificate, next = renew): boolean {
  const days = (endOf(certificate) - Date.now()) / dayMs
  const date = new Date(endOf(certificate)).toISOString().slice(0, 10)
  if (days < 0) report.fail(check, `${what} ended on ${date}`, next)
  else if (days < soonDays) report.warn(check, `${what} ends in ${Math.floor(days)} days, on ${date}`, next)
  else report.ok(check, `${what} is valid until ${date}`)
  return days >= 0
}

async function openTls({ host: named, port, servername, trust, prelude }: TlsPlace): Promise<TLSSocket> {
  const host = named.replace(/^\[|\]$/g, '')
  const signal = AbortSignal.timeout(connectMs)
  const plain = connectTcp({ host, port })
  // Pending operations get the error of the socket, which is no longer needed afterwards.
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

/** The port of a URL. */
export const portOf = ({ protocol, port }: URL): number =>
  Number(port) ||
  (/^(https|wss):$/.test(protocol) ? 443 : protocol === 'rediss:' ? 6379 : protocol === 'tls:' ? 4222 : 5432)

/** Waits for a server that speaks first, such as NATS. */
export async function greeting(socket: Socket): Promise<string> {
  const [data] = (await once(socket, 'data', { signal: AbortSignal.timeout(connectMs) })) as [Buffer]
  return data.toString('latin1')
}

/** Asks PostgreSQL for TLS. */
export async function requestPostgresTls(socket: Socket): Promise<void> {
  socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]))
  if ((await greeting(socket)) !== 'S') throw new Error('the server does not offer TLS')
}

/** Asks a mail server for TLS. */
export async function startMailTls(socket: Socket): Promise<void> {
  await mailAnswer(socket, 'greeted')
  for (const line of ['EHLO parley.invalid', 'STARTTLS']) {
    socket.write(`${line}\r\n`)
    await mailAnswer(socket, `answered ${line}`)
  }
}

/** The last line of an answer has a space after its code. */
async function mailAnswer(socket: Socket, when: string): Promise<void> {
  let answer = ''
  while (!/^\d{3} .*\r\n$/m.test(answer)) answer += await greeting(socket)
  if (!answer.startsWith('2')) throw new Error(`the server ${when} with ${answer.trim()}`)
}
