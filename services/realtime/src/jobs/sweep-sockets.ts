import { slowConsumer } from '../errors.ts'
import type { Subscriber } from '../engines/hub/index.ts'
import type { Connection } from '../ws/connection.ts'

/**
 * Checks sockets once a second while there are any: closes those whose handshake takes too long, and slow readers that
 * are still behind by half the backpressure limit at the second check. (uWebSockets.js silently closes those that reach
 * the whole limit.)
 */
export function createSocketSweep(options: {
  handshaking: Set<Connection>
  connections: ReadonlySet<Subscriber>
  slowBytes: number
}): (now: number) => void {
  let behind = new Set<Subscriber>()
  return (now) => {
    for (const connection of options.handshaking) {
      if (connection.isOpen) options.handshaking.delete(connection)
      else connection.checkDeadline(now)
    }
    const stillBehind = new Set<Subscriber>()
    for (const connection of [...options.connections]) {
      if (connection.buffered <= options.slowBytes) continue
      if (behind.has(connection)) connection.end(slowConsumer)
      else stillBehind.add(connection)
    }
    behind = stillBehind
  }
}
