import type { Subscriber } from '../hub/subscriber.ts'
import { topics } from '../hub/topics.ts'

const behindBytes = 65_536

/** Takes sockets that are behind off the topic of hints, and brings them back once they have caught up. */
export function createHintControl(connections: ReadonlySet<Subscriber>): () => void {
  const without = new WeakSet<Subscriber>()
  return () => {
    for (const connection of connections) {
      if (!connection.isOpen) continue
      const behind = connection.buffered > behindBytes
      if (behind && !without.has(connection)) {
        connection.unsubscribe(topics.hints)
        without.add(connection)
      } else if (!behind && without.delete(connection)) connection.subscribe(topics.hints)
    }
  }
}
