import type { Subscriber } from './subscriber.ts'
import { topics } from './topics.ts'
import type { UserAccess } from './user-access.ts'

const behindBytes = 65_536

/** Whether a socket has so many unsent bytes that hints are withheld from it. */
export const isBehind = ({ buffered }: Subscriber): boolean => buffered > behindBytes

/** Topics of hints, which may be lost. Slow sockets leave them until they have caught up. */
export class HintTopics {
  readonly #without = new WeakSet<Subscriber>()

  /** To be called when the stream of a socket starts. */
  start(connection: Subscriber, user: UserAccess): void {
    for (const topic of topicsOf(user)) connection.subscribe(topic)
  }

  gain(connection: Subscriber, roomId: string): void {
    if (!this.#without.has(connection)) connection.subscribe(topics.roomHints(roomId))
  }

  lose(connection: Subscriber, roomId: string): void {
    connection.unsubscribe(topics.roomHints(roomId))
  }

  /** Whether the socket is subscribed to such topics. */
  isGiven = (connection: Subscriber): boolean => connection.isOpen && !this.#without.has(connection)

  /** Checks every socket again. */
  control(users: Iterable<UserAccess>): void {
    for (const user of users) {
      for (const connection of user.connections) if (connection.isOpen) this.#control(connection, user)
    }
  }

  #control(connection: Subscriber, user: UserAccess): void {
    if (isBehind(connection)) {
      if (this.#without.has(connection)) return
      this.#without.add(connection)
      for (const topic of topicsOf(user)) connection.unsubscribe(topic)
    } else if (this.#without.delete(connection)) this.start(connection, user)
  }
}

const topicsOf = ({ rooms }: UserAccess): string[] => [topics.hints, ...[...rooms].map(topics.roomHints)]
