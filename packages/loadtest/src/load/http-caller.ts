import {
  create,
  fromBinary,
  toBinary,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf'
import { methodPath } from '@parley/contracts/catalogue'
import { Pool, type Dispatcher } from 'undici'

type HttpResponse = { status: number; headers: Dispatcher.ResponseData['headers']; body: Buffer }

export class RefusedError extends Error {}

export class HttpCaller implements Disposable {
  readonly #pool: Pool
  #token = ''

  constructor(url: string, connections = 1) {
    this.#pool = new Pool(url, { connections, pipelining: 1 })
  }

  get token(): string {
    return this.#token
  }

  async signIn(user: { login: string; password: string }): Promise<void> {
    const { status, body } = await this.post('/auth/login', 'application/json', JSON.stringify(user))
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
    if (status === 429 || status === 503) throw new RefusedError(`${method.name}: ${body.toString()}`)
    if (status !== 200) throw new Error(`${method.name} answered ${status}: ${body.toString()}`)
    return fromBinary<M['output']>(method.output, body)
  }

  async post(path: string, contentType: string, body: string | Uint8Array): Promise<HttpResponse> {
    const headers = {
      'content-type': contentType,
      ...(this.#token && { authorization: `Bearer ${this.#token}` }),
    }
    const answer = await this.#pool.request({ path, method: 'POST', headers, body })
    return { status: answer.statusCode, headers: answer.headers, body: Buffer.from(await answer.body.arrayBuffer()) }
  }

  async download(url: string): Promise<Buffer> {
    const { pathname, search } = new URL(url)
    const { statusCode, body } = await this.#pool.request({ path: `${pathname}${search}`, method: 'GET' })
    const bytes = Buffer.from(await body.arrayBuffer())
    if (statusCode !== 200) throw new Error(`${pathname} answered ${statusCode}: ${bytes.toString()}`)
    return bytes
  }

  [Symbol.dispose](): void {
    void this.#pool.destroy()
  }
}
