import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'

const ipv4 = 1

/**
 * A DNS server on loopback. It knows the IPv4 addresses of a few names, answers NXDOMAIN for those in `missing`, and
 * leaves all other queries unanswered.
 */
export class DnsServer implements AsyncDisposable {
  /** The names, in the order of their first query. */
  readonly queried = new Set<string>()
  /** IPv4 addresses by name; a name added later is answered when its query is repeated. */
  readonly answers: Map<string, string[]>
  /** Names that do not exist: queries for them are answered with NXDOMAIN. */
  readonly missing = new Set<string>()
  queries = 0
  readonly #socket: Socket

  static async start(answers: Record<string, string[]> = {}): Promise<DnsServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return new DnsServer(socket, new Map(Object.entries(answers)))
  }

  private constructor(socket: Socket, answers: Map<string, string[]>) {
    this.#socket = socket
    this.answers = answers
    socket.on('message', (question, from) => this.#receive(question, from))
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`
  }

  /** Resolves when this number of names has been queried. */
  async untilQueried(names: number): Promise<void> {
    while (this.queried.size < names) await once(this.#socket, 'message')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close()
    await once(this.#socket, 'close')
  }

  #receive(question: Buffer, from: RemoteInfo): void {
    const { name, end } = nameOf(question)
    const type = question.readUInt16BE(end)
    this.queries++
    this.queried.add(name)
    const addresses = this.answers.get(name)
    const isMissing = this.missing.has(name)
    if (!addresses && !isMissing) return
    const records = type === ipv4 ? (addresses ?? []).map(recordOf) : []
    const header = Buffer.alloc(12)
    question.copy(header, 0, 0, 2)
    header.writeUInt16BE(0x8180 | (isMissing ? 3 : 0), 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(records.length, 6)
    this.#socket.send(Buffer.concat([header, question.subarray(12, end + 4), ...records]), from.port, from.address)
  }
}

function nameOf(question: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = question.readUInt8(at); length > 0; length = question.readUInt8(at)) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

const recordOf = (address: string): Buffer =>
  Buffer.from([0xc0, 12, 0, ipv4, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)])
