import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** Stands before the server and spoils connections when told to. */
export type Proxy = AsyncDisposable & {
  url: string
  /** `refuse`: no connections at all. `cut`: each ends with the next byte that it carries to the server. */
  mode: 'forward' | 'refuse' | 'cut'
}

export async function proxyBefore(target: string): Promise<Proxy> {
  const to = new URL(target)
  const sockets = new Set<Socket>()
  const server = createServer((from) => {
    if (proxy.mode === 'refuse') return void from.destroy()
    const onward = connect(Number(to.port), to.hostname)
    for (const [one, other] of [
      [from, onward],
      [onward, from],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
    from.on('data', (bytes) => (proxy.mode === 'forward' ? onward.write(bytes) : from.destroy()))
    onward.on('data', (bytes) => from.write(bytes))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(target)
  if (typeof address === 'object' && address !== null) url.port = String(address.port)
  const proxy: Proxy = {
    url: url.href,
    mode: 'forward',
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
  return proxy
}
