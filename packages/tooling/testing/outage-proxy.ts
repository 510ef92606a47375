import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A server that can be stopped and started again, with the same address and data. */
export type StoppableServer = AsyncDisposable & {
  url: string
  /** Ends every connection and refuses new ones. */
  stop(): Promise<void>
  start(): Promise<void>
}

/** `refuse` ends new connections at once; `cut` ends a connection when the client next sends something. */
export type Proxy = StoppableServer & { mode: 'forward' | 'refuse' | 'cut' }

/** Simulates outages of a server that tests cannot stop. Begins with the mode `forward`. */
export async function outageProxy(target: string, defaultPort?: number): Promise<Proxy> {
  const to = new URL(target)
  const sockets = new Set<Socket>()
  const accept = (from: Socket) => {
    if (proxy.mode === 'refuse') return void from.destroy()
    const onward = connect(Number(to.port || defaultPort), to.hostname)
    from.on('data', () => {
      if (proxy.mode === 'cut') onward.destroy()
    })
    for (const [one, other] of [
      [from, onward],
      [onward, from],
    ] as const) {
      sockets.add(one)
      one.setNoDelay(true)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  }
  let server: Server | undefined
  let port = 0
  const start = async () => {
    if (server !== undefined) return
    server = createServer(accept).listen(port, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (typeof address === 'object' && address !== null) port = address.port
  }
  const stop = async () => {
    const closing = server
    server = undefined
    if (closing === undefined) return
    const closed = once(closing, 'close')
    closing.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const proxy: Proxy = { url: '', mode: 'forward', start, stop, [Symbol.asyncDispose]: stop }
  await start()
  proxy.url = Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(port) }).href
  return proxy
}
