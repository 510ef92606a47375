import { randomInt } from 'node:crypto'
import { connect, createServer } from 'node:net'

const firstPort = 20_000
const portCount = 12_000

/** Returns a port outside the ephemeral range: no other program gets it by chance while the server on it restarts. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const port = firstPort + randomInt(portCount)
    if (await isPortFree(port)) return port
  }
  throw new Error(`no TCP port from ${firstPort} to ${firstPort + portCount - 1} is free`)
}

export async function isPortFree(port: number): Promise<boolean> {
  return (await whyPortNotFree(port, '127.0.0.1')) === undefined
}

/** Code of the error that prevents this process from listening on the port; undefined if nothing does. */
export function whyPortNotFree(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}

/**
 * Connects, sends `request` (may be empty), and returns whether the response satisfies `accept` before it ends or
 * pauses for a second.
 */
export function probe(port: number, request: string, accept: (answer: string) => boolean): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    const finish = (result: boolean) => {
      socket.destroy()
      resolve(result)
    }
    socket.setTimeout(1000, () => finish(false))
    socket.on('error', () => finish(false))
    socket.on('close', () => finish(false))
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      if (accept(answer)) finish(true)
    })
  })
}
