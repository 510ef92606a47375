import type { Policy } from '@parley/auth'
import type { Event } from '@parley/contracts/internal'
import { sessionTerminated, streamClosed, type StreamEnd } from '../errors.ts'
import type { Metrics } from '../metrics.ts'
import type { Connection } from '../ws/connection.ts'
import { Access, type AccessChange } from './access.ts'
import { eventFrame, positionOf } from './frame.ts'
import { RecentVersions } from './recent-versions.ts'
import { topics } from './topics.ts'
import { UserAccess } from './user-access.ts'

/** Hands one frame to every socket that subscribed to a topic. */
export type Publish = (topic: string, frame: Uint8Array) => void

/**
 * The fan-out of one node. Events go in stream order from one queue to topics: nothing on this path waits, and no work
 * is done per socket but for the moves of those whose access changes.
 */
export class Hub {
  readonly access: Access
  /** Every connection past its hello. */
  readonly connections = new Set<Connection>()
  readonly #publish: Publish
  readonly #metrics: Metrics
  readonly #seen = new RecentVersions()
  #position = positionOf(0, '')

  constructor(options: { publish: Publish; policy: () => Policy; metrics: Metrics; now?: () => number }) {
    this.#publish = options.publish
    this.#metrics = options.metrics
    this.access = new Access(options.policy, options.now)
  }

  /** Place of the newest event this node has published. */
  get position(): string {
    return this.#position
  }

  /** Publishes an event, unless it was heard before. */
  deliver(event: Event, streamSequence: number): void {
    if (!this.#seen.admit(event)) return
    this.#position = positionOf(streamSequence, event.id)
    const change = this.access.apply(event)
    this.#gain(change)
    this.#publishDeliveries(event)
    this.#lose(change)
    if (event.fact.case === 'credentialsEnded') this.#endSessions(event.aggregateId)
  }

  /** The policy changed: universal rooms may be open or closed to other people now. */
  policyChanged(): void {
    this.#move(this.access.recompute())
  }

  /** The stream lost its thread: what was missed is unknown, so everyone starts anew. */
  reset(): void {
    this.#seen.clear()
    this.endAll(streamClosed)
  }

  endAll(end: StreamEnd): void {
    for (const connection of [...this.connections]) connection.end(end)
  }

  /** A connection said who it is; from here changes of the user's access are kept. */
  attach(
    connection: Connection,
    caller: { userId: string; roleIds: readonly string[]; rolesVersion: bigint },
  ): UserAccess {
    let user = this.access.users.get(caller.userId)
    if (!user) {
      user = new UserAccess(caller.userId, caller.roleIds, caller.rolesVersion)
      this.access.users.set(caller.userId, user)
    } else if (user.setRoles(caller.roleIds, caller.rolesVersion)) {
      this.#move(this.access.changesOnLoad(user))
    }
    user.connections.add(connection)
    this.connections.add(connection)
    return user
  }

  detach(connection: Connection): void {
    this.connections.delete(connection)
    const user = connection.user
    if (!user) return
    user.connections.delete(connection)
    if (user.connections.size === 0 && this.access.users.get(user.userId) === user)
      this.access.users.delete(user.userId)
  }

  /** The standings of a user are complete. */
  loaded(user: UserAccess): void {
    user.loaded = true
    this.#move(this.access.changesOnLoad(user))
  }

  /** Starts the stream of a connection. */
  subscribe(connection: Connection, user: UserAccess): void {
    connection.subscribe(topics.everyone)
    connection.subscribe(topics.user(user.userId))
    for (const roomId of user.rooms) connection.subscribe(topics.room(roomId))
  }

  #publishDeliveries(event: Event): void {
    for (const { envelope, audience } of event.deliveries) {
      const frame = eventFrame(envelope, this.#position)
      switch (audience.case) {
        case 'roomId':
          this.#publish(topics.room(audience.value), frame)
          break
        case 'users':
          for (const userId of audience.value.userIds)
            if (this.access.users.has(userId)) this.#publish(topics.user(userId), frame)
          break
        case 'everyone':
          this.#publish(topics.everyone, frame)
          break
        case undefined:
          continue
      }
      this.#metrics.published(event)
    }
  }

  #endSessions(userId: string): void {
    const user = this.access.users.get(userId)
    if (user) for (const connection of [...user.connections]) connection.end(sessionTerminated)
  }

  #move(change: AccessChange): void {
    this.#lose(change)
    this.#gain(change)
  }

  #gain({ gains }: AccessChange): void {
    for (const { user, roomId } of gains) {
      user.rooms.add(roomId)
      for (const connection of user.connections) if (connection.isOpen) connection.subscribe(topics.room(roomId))
    }
  }

  #lose({ losses }: AccessChange): void {
    for (const { user, roomId } of losses) {
      user.rooms.delete(roomId)
      for (const connection of user.connections) if (connection.isOpen) connection.unsubscribe(topics.room(roomId))
    }
  }
}
