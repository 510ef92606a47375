import { rebalance, slowConsumer } from '../errors.ts'
import type { Subscriber } from '../engines/hub/index.ts'
import type { Connection } from '../ws/connection.ts'

/**
 * The function closes sockets whose client sends hello or subscription too late, and slow readers with more than
 * `slowBytes` unsent at two checks in a row. (uWebSockets.js closes those that reach the backpressure limit, without a
 * reason.) It also closes old sockets: they reconnect through the load balancer, so that nodes added later receive
 * their share.
 */
export function createSocketSweep(options: {
  handshaking: Set<Connection>
  connections: ReadonlySet<Subscriber>
  slowBytes: number
  /** 0: no limit. */
  maxAgeMs: number
}): (now: number) => void {
  let behind = new Set<Subscriber>()
  return (now) => {
    for (const connection of options.handshaking) {
      if (connection.isOpen) options.handshaking.delete(connection)
      else connection.checkDeadline(now)
    }
    const stillBehind = new Set<Subscriber>()
    for (const connection of [...options.connections]) {
      if (options.maxAgeMs > 0 && connection.isOlderThan(options.maxAgeMs, now)) connection.end(rebalance)
      if (connection.buffered <= options.slowBytes) continue
      if (behind.has(connection)) connection.end(slowConsumer)
      else stillBehind.add(connection)
    }
    behind = stillBehind
  }
}
