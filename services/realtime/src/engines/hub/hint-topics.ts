import type { Subscriber } from './subscriber.ts'
import { topics } from './topics.ts'
import type { UserAccess } from './user-access.ts'

const behindBytes = 65_536

export const isBehind = ({ buffered }: Subscriber): boolean => buffered > behindBytes

export class HintTopics {
  readonly #unsubscribed = new WeakSet<Subscriber>()

  subscribe(connection: Subscriber, user: UserAccess): void {
    for (const topic of hintTopicsOf(user)) connection.subscribe(topic)
  }

  subscribeToRoom(connection: Subscriber, roomId: string): void {
    if (!this.#unsubscribed.has(connection)) connection.subscribe(topics.roomHints(roomId))
  }

  unsubscribeFromRoom(connection: Subscriber, roomId: string): void {
    connection.unsubscribe(topics.roomHints(roomId))
  }

  isSubscribed = (connection: Subscriber): boolean => connection.isOpen && !this.#unsubscribed.has(connection)

  updateSubscriptions(users: Iterable<UserAccess>): void {
    for (const user of users) {
      for (const connection of user.connections) if (connection.isOpen) this.#update(connection, user)
    }
  }

  #update(connection: Subscriber, user: UserAccess): void {
    if (isBehind(connection)) {
      if (this.#unsubscribed.has(connection)) return
      this.#unsubscribed.add(connection)
      for (const topic of hintTopicsOf(user)) connection.unsubscribe(topic)
    } else if (this.#unsubscribed.delete(connection)) this.subscribe(connection, user)
  }
}

const hintTopicsOf = ({ rooms }: UserAccess): string[] => [topics.hints, ...[...rooms].map(topics.roomHints)]
