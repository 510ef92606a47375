import { Agent, request, type IncomingHttpHeaders } from 'node:http'
import {
  create,
  fromBinary,
  toBinary,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf'
import { methodPath } from '@parley/contracts/catalogue'

type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer }

/** Calls a server over keep-alive HTTP/1.1 with binary bodies, with as little of its own as can be. */
export class HttpCaller implements Disposable {
  readonly #url: URL
  readonly #agent: Agent
  #token = ''

  constructor(url: string, connections = 1) {
    this.#url = new URL(url)
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, noDelay: true })
  }

  get token(): string {
    return this.#token
  }

  async signIn(who: { login: string; password: string }): Promise<void> {
    const { status, body } = await this.post('/auth/login', 'application/json', JSON.stringify(who))
    const answer: unknown = JSON.parse(body.toString())
    if (status !== 200 || typeof answer !== 'object' || answer === null || !('token' in answer))
      throw new Error(`sign-in failed with ${status}: ${body.toString()}`)
    this.#token = String(answer.token)
  }

  async call<M extends DescMethodUnary>(
    method: M,
    message: MessageInitShape<M['input']>,
  ): Promise<MessageShape<M['output']>> {
    const encoded = toBinary(method.input, create(method.input, message))
    const { status, body } = await this.post(`/api/connect${methodPath(method)}`, 'application/proto', encoded)
    if (status !== 200) throw new Error(`${method.name} answered ${status}: ${body.toString()}`)
    return fromBinary<M['output']>(method.output, body)
  }

  post(path: string, contentType: string, body: string | Uint8Array): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = {
        'content-type': contentType,
        'content-length': Buffer.byteLength(body),
        ...(this.#token && { authorization: `Bearer ${this.#token}` }),
      }
      const { hostname: host, port } = this.#url
      const sent = request({ host, port, path, method: 'POST', agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        )
        response.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}
