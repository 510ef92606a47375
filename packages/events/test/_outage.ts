import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** Stands before a server and can be made to go away. */
export type Outage = AsyncDisposable & { url: string; stop(): Promise<void>; start(): Promise<void> }

export async function outageBefore(target: string): Promise<Outage> {
  const to = new URL(target)
  const sockets = new Set<Socket>()
  let server: Server | undefined
  let port = 0
  const forward = (from: Socket): void => {
    const onward = connect(Number(to.port), to.hostname)
    for (const [one, other] of [
      [from, onward],
      [onward, from],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  }
  const start = async (): Promise<void> => {
    server = createServer(forward).listen(port, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (typeof address === 'object' && address !== null) port = address.port
  }
  const stop = async (): Promise<void> => {
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
  url.port = String(port)
  return { url: url.href, start, stop, [Symbol.asyncDispose]: stop }
}
