import { setTimeout as sleep } from 'node:timers/promises'
import { draining } from '../errors.ts'
import type { Connection } from '../ws/connection.ts'

const slices = 20

/** Closes all sockets in random slices spread over the window, so that the other nodes are not met by all of them at once. */
export async function drainSockets(connections: ReadonlySet<Connection>, windowMs: number): Promise<void> {
  for (let left = slices; left > 0; left--) {
    const open = [...connections]
    for (const connection of open) if (Math.random() < 1 / left) connection.end(draining)
    if (connections.size === 0) return
    await sleep(windowMs / slices)
  }
}
