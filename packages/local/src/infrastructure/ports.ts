import { connect, createServer } from 'node:net'

/** A TCP port of the loopback interface that nothing listened on a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('no TCP port was given'))
        else resolve(address.port)
      })
    })
  })
}

/** Whether a server of this process could listen on the port. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}

/** Connects, sends `request` if there is one, and tells whether the answer so far satisfies `accept` within `timeoutMs`. */
export function probe(
  port: number,
  request: string,
  accept: (answer: string) => boolean,
  timeoutMs = 1000,
): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    const finish = (verdict: boolean) => {
      socket.destroy()
      resolve(verdict)
    }
    socket.setTimeout(timeoutMs, () => finish(false))
    socket.on('error', () => finish(false))
    socket.on('close', () => finish(false))
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      if (accept(answer)) finish(true)
    })
  })
}
