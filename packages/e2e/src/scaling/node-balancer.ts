import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FleetProcess } from '@parley/local'
import { requestInternal } from '../processes.ts'

const probePauseMs = 100

/** Forwards each connection to a random ready node, like a Service of Kubernetes. */
export class NodeBalancer implements AsyncDisposable {
  readonly #server: Server
  readonly #open = new Set<Socket>()
  readonly #stopping = new AbortController()
  #ready: FleetProcess[] = []
  readonly #probing: Promise<void>

  private constructor(server: Server, nodes: () => FleetProcess[]) {
    this.#server = server
    server.on('connection', (client) => this.#pass(client))
    this.#probing = this.#probe(nodes)
  }

  static async start(nodes: () => FleetProcess[]): Promise<NodeBalancer> {
    const server = createServer({ noDelay: true })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return new NodeBalancer(server, nodes)
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/realtime`
  }

  #pass(client: Socket): void {
    const node = this.#ready[Math.floor(Math.random() * this.#ready.length)]
    if (node?.url === undefined) return void client.destroy()
    const server = connect({ host: '127.0.0.1', port: Number(new URL(node.url).port), noDelay: true })
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => this.#open.delete(one) && other.destroySoon())
      one.pipe(other)
    }
  }

  async #probe(nodes: () => FleetProcess[]): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const answers = await Promise.all(
        nodes().map(async (node) => ({
          node,
          isReady: await requestInternal(node, '/readyz').then(
            ({ status }) => status === 200,
            () => false,
          ),
        })),
      )
      this.#ready = answers.filter(({ isReady }) => isReady).map(({ node }) => node)
      await sleep(probePauseMs, undefined, { signal }).catch(() => undefined)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#probing
    this.#server.close()
    for (const socket of this.#open) socket.destroy()
  }
}
