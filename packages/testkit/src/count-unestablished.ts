import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

/**
 * Opens connections to a local port of this process before it can accept one, and closes them. Returns how many of them
 * the kernel did not establish because the accept queue was full. Only on Linux.
 */
export async function countUnestablished(port: number, count: number): Promise<number> {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  // They connect in this turn of the event loop, in which the server accepts nothing.
  await new Promise<void>((resolve) => process.nextTick(resolve))
  const to = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const unestablished = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .filter((row) => {
      const [, , remote = '', state] = row.trim().split(/ +/)
      return remote.endsWith(to) && state === synSent
    })
  for (const socket of sockets) socket.destroy()
  return unestablished.length
}

const synSent = '02'
