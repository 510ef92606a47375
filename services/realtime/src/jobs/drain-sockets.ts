import { setTimeout as sleep } from 'node:timers/promises'
import { draining } from '../errors.ts'
import type { Subscriber } from '../engines/hub/index.ts'

const groups = 20
/**
 * How long to wait before the process ends. If it ended at once, connections with unread input would be reset, and
 * their clients would lose the frame with the reason.
 */
const lingerMs = 250

/** Closes sockets in random groups spread over the window, so that clients do not all reconnect at once. */
export async function drainSockets(connections: ReadonlySet<Subscriber>, windowMs: number): Promise<void> {
  if (connections.size === 0) return
  for (let left = groups; left > 0 && connections.size > 0; left--) {
    if (left < groups) await sleep(windowMs / groups)
    for (const connection of [...connections]) if (Math.random() < 1 / left) connection.end(draining)
  }
  await sleep(lingerMs)
}
