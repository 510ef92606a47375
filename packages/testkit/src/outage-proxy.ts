import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from '@parley/local/infrastructure'

/** A server that can be made to go away and come back at the same address, with what it stores. */
export type Outage = AsyncDisposable & {
  /** Where it is reached. */
  url: string
  /** Ends every connection and refuses new ones. */
  stop(): Promise<void>
  /** Comes back. */
  start(): Promise<void>
}

/** Stands before a server that cannot be stopped, and forwards connections unless stopped. */
export async function outageProxy(target: string, defaultPort: number): Promise<Outage> {
  const to = new URL(target)
  const sockets = new Set<Socket>()
  const forward = (from: Socket) => {
    const onward = connect(Number(to.port || defaultPort), to.hostname)
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
  const port = await freePort()
  const start = async () => {
    if (server !== undefined) return
    server = createServer(forward).listen(port, '127.0.0.1')
    await once(server, 'listening')
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
  await start()
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return { url: url.href, start, stop, [Symbol.asyncDispose]: stop }
}
