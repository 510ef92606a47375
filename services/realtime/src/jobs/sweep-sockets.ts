import { slowConsumer } from '../errors.ts'
import type { Subscriber } from '../engines/hub/index.ts'
import type { Connection } from '../ws/connection.ts'

/**
 * Looks at sockets once a second, while there are any: handshakes that take too long, and readers that are still half a backpressure limit
 * behind at the second look. (uWebSockets.js cuts off whoever reaches the whole limit, without a word.)
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
