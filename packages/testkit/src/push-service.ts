import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
  type ECDH,
  type JsonWebKey,
} from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ReceivedPush = {
  browser: string
  payload: Record<string, unknown>
  /** Record size stated in the header. */
  recordSize: number
  bodyBytes: number
  ttl: string | undefined
  topic: string | undefined
  urgency: string | undefined
  vapid: { header: unknown; claims: Record<string, unknown>; isSigned: boolean; publicKey: string }
}

export type PushAnswer = { status: number; headers?: Record<string, string>; body?: string } | 'nothing'

type Browser = { keys: ECDH; auth: Buffer }

/** A push service with its browsers: RFC 8030, 8188, 8291 and 8292, implemented with node:crypto only. */
export class PushService {
  readonly received: ReceivedPush[] = []
  /** Returns the response to a push, by default 201. `attempt` counts the pushes to the browser from 1. */
  answer: (push: ReceivedPush, attempt: number) => PushAnswer | Promise<PushAnswer> = () => ({ status: 201 })
  readonly #browsers = new Map<string, Browser>()
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#receive(request, response).catch((error: unknown) => {
        response.writeHead(599).end(String(error))
      })
    })
  }

  static async start(host = '127.0.0.1'): Promise<PushService> {
    const service = new PushService()
    service.#server.listen(0, host)
    await once(service.#server, 'listening')
    return service
  }

  get url(): string {
    const { address, port } = this.#server.address() as AddressInfo
    return `http://${address}:${port}`
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Adds a browser and returns its subscription, as the web application receives it. */
  subscribe(name: string): { endpoint: string; p256dh: string; auth: string } {
    const keys = createECDH('prime256v1')
    keys.generateKeys()
    const auth = randomBytes(16)
    this.#browsers.set(name, { keys, auth })
    return {
      endpoint: `${this.url}/push/${name}`,
      p256dh: keys.getPublicKey('base64url'),
      auth: auth.toString('base64url'),
    }
  }

  receivedBy(name: string): ReceivedPush[] {
    return this.received.filter(({ browser }) => browser === name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = request.url?.split('/').at(-1) ?? ''
    const browser = this.#browsers.get(name)
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    if (!browser) return void response.writeHead(404).end()
    const body = Buffer.concat(chunks)
    const { headers } = request
    const push: ReceivedPush = {
      browser: name,
      ...decrypt(body, browser, headers['content-encoding']),
      bodyBytes: body.length,
      ttl: single(headers['ttl']),
      topic: single(headers['topic']),
      urgency: single(headers['urgency']),
      vapid: vapidOf(headers.authorization ?? ''),
    }
    this.received.push(push)
    const answer = await this.answer(push, this.receivedBy(name).length)
    if (answer !== 'nothing') response.writeHead(answer.status, answer.headers).end(answer.body)
  }
}

const single = (header: string | string[] | undefined) => (Array.isArray(header) ? header.join() : header)

/** RFC 8188 with the keys of RFC 8291. */
function decrypt(body: Buffer, { keys, auth }: Browser, encoding: string | undefined) {
  if (encoding !== 'aes128gcm') throw new Error(`content-encoding ${encoding}`)
  const salt = body.subarray(0, 16)
  const recordSize = body.readUInt32BE(16)
  const sender = body.subarray(21, 21 + (body[20] ?? 0))
  const record = body.subarray(21 + sender.length)
  if (record.length > recordSize) throw new Error('more than one record')
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), sender])
  const secret = Buffer.from(hkdfSync('sha256', keys.computeSecret(sender), auth, info, 32))
  const derive = (what: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${what}\0`, length))
  const cipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  cipher.setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()])
  const end = padded.lastIndexOf(2)
  if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('not the last record')
  return { payload: JSON.parse(padded.subarray(0, end).toString()) as Record<string, unknown>, recordSize }
}

function vapidOf(authorization: string): ReceivedPush['vapid'] {
  const [, token = '', publicKey = ''] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization) ?? []
  const [header = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const coordinate = (from: number) => point.subarray(from, from + 32).toString('base64url')
  const jwk: JsonWebKey = { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) }
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
  return { header: parse(header), claims: parse(claims), isSigned, publicKey }
}
