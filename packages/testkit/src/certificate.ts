import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'

type Dates = { from: Date; until: Date }

const der = (tag: number, ...content: Uint8Array[]): Buffer => {
  const body = Buffer.concat(content)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
const sequence = (...content: Uint8Array[]): Buffer => der(0x30, ...content)
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex')
const ecdsaWithSha256 = sequence(bytes('06082a8648ce3d040302'))
const utcTime = (date: Date): Buffer =>
  der(
    0x17,
    Buffer.from(
      `${date
        .toISOString()
        .replaceAll(/[-:T]|\.\d+/g, '')
        .slice(2)}`,
    ),
  )

/** A self-signed certificate for 127.0.0.1 and its key, in PEM. */
export function selfSignedCertificate({ from, until }: Dates): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(der(0x31, sequence(bytes('0603550403'), der(0x0c, Buffer.from('parley test')))))
  const alternative = sequence(bytes('0603551d11'), der(0x04, sequence(der(0x87, Buffer.from([127, 0, 0, 1])))))
  const content = sequence(
    der(0xa0, bytes('020102')),
    bytes('020101'),
    ecdsaWithSha256,
    name,
    sequence(utcTime(from), utcTime(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternative)),
  )
  const signature = sign('sha256', content, privateKey)
  const whole = sequence(content, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature))
  const lines = whole.toString('base64').replaceAll(/.{1,64}/g, '$&\n')
  const cert = `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

/** A TLS server on this machine. By default it ends each connection. */
export async function tlsServer(
  options: { cert: string; key: string },
  host = '127.0.0.1',
  onConnection: (socket: TLSSocket) => void = (socket) => socket.on('error', () => undefined).end(),
): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer(options, onConnection)
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}
