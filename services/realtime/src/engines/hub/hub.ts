import type { Policy } from '@parley/permissions'
import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { CredentialsEndedFact, Event, UserRolesChangedFact } from '@parley/contracts/internal'
import { sessionTerminated, streamClosed, type StreamEnd } from '../../errors.ts'
import type { Metrics } from '../../metrics.ts'
import { Access, type AccessChange } from './access.ts'
import { eventFrames, replayFrame } from './event-frames.ts'
import { positionOf } from './frame.ts'
import type { PolicyChange } from './node-policy.ts'
import { HintTopics } from './hint-topics.ts'
import type { StreamEntry } from './intake.ts'
import { Publisher } from './publisher.ts'
import { RecentVersions } from './recent-versions.ts'
import type { Replay, ReplayBuffer } from './replay-buffer.ts'
import { slices } from './sliced-broadcast.ts'
import type { Subscriber } from './subscriber.ts'
import { topics } from './topics.ts'
import { openConnectionsOf, UserAccess } from './user-access.ts'

type Options = {
  publish: (topic: string, frame: Uint8Array) => void
  policy: () => Policy
  verify: (sockets: readonly Subscriber[]) => void
  metrics: Pick<Metrics, 'countPublished'>
  replayBuffer: ReplayBuffer
  now?: () => number
}

/**
 * If an event that ends sessions is older than this, the service `accounts` is asked before sockets are closed: after a
 * loss of the stream, relays publish old events again, and people may have signed in since.
 */
const maxUncheckedEndAgeMs = 60_000

/**
 * The fan-out of one node. It publishes events to topics in stream order, except throttled ones, and never waits for
 * another service.
 */
export class Hub implements Disposable {
  readonly access: Access
  readonly hintTopics = new HintTopics()
  readonly connections = new Set<Subscriber>()
  readonly #options: Options
  readonly #now: () => number
  readonly #seen = new RecentVersions()
  readonly #publisher: Publisher
  #position = positionOf(0, '')
  #nextSlice = 0
  #resetAt = 0

  constructor(options: Options) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.access = new Access(options.policy, this.#now)
    const { publish, metrics } = options
    this.#publisher = new Publisher({
      ...{ publish, metrics, users: this.access.users },
      countSockets: () => this.connections.size,
    })
  }

  get position(): string {
    return this.#position
  }

  /** Ignores duplicates. Updates access, publishes the event, and ends the sockets of sessions that the event ends. */
  deliver(event: Event, { seq, storedAtMs }: StreamEntry): void {
    if (!this.#seen.admit(event)) return
    const position = positionOf(seq, event.id)
    this.#position = position
    const change = this.access.apply(event)
    this.#recordAccessChange(change)
    this.#gain(change)
    const isRepublished = this.#isRepublished(event)
    const frames = isRepublished ? [] : eventFrames(event, position)
    // Another node may have sent this event, so no client may resume here from an earlier position.
    if (isRepublished) this.#options.replayBuffer.recordEveryonesAccessChange()
    this.#options.replayBuffer.add({ position, storedAtMs, frames: frames.map(replayFrame) })
    this.#publisher.publish(event, frames)
    this.#lose(change)
    if (event.kind === 'account_deleted') this.#forget(event.aggregateId)
    if (event.fact.case === 'credentialsEnded') this.#endSockets(event, event.fact.value)
    if (event.fact.case === 'userRolesChanged' && !isRepublished)
      this.#reconnectIfContradicted(event.aggregateId, event.fact.value)
  }

  [Symbol.dispose](): void {
    this.#publisher[Symbol.dispose]()
  }

  /**
   * To be called when the policy has changed. If the node missed the event, users whose rooms change must reconnect,
   * and no client can resume from an earlier position.
   */
  recomputeAccess(policyChange: PolicyChange): void {
    const change = this.access.recompute()
    this.#applyChange(change)
    if (policyChange !== 'missed_event') return
    this.#options.replayBuffer.recordEveryonesAccessChange()
    const changed = new Set([...change.gains, ...change.losses].map(({ user }) => user))
    for (const user of changed) this.#reconnect(user)
  }

  /** To be called when events may be missing: makes all clients reload. */
  reset(): void {
    this.#seen.clear()
    this.#resetAt = this.#now()
    this.#options.replayBuffer.clear()
    this.#publisher.clear()
    this.endAll(streamClosed)
  }

  /**
   * Whether the event happened before the last reset. After a loss of the stream, relays publish old events again, but
   * clients connected since the reset have loaded a state that includes them.
   */
  #isRepublished({ occurredAt }: Event): boolean {
    return occurredAt !== undefined && timestampMs(occurredAt) < this.#resetAt
  }

  endAll(end: StreamEnd): void {
    for (const connection of [...this.connections]) connection.end(end)
  }

  socketCountOf(userId: string): number {
    return this.access.users.get(userId)?.connections.size ?? 0
  }

  attach(
    connection: Subscriber,
    caller: { userId: string; roleIds: readonly string[]; rolesVersion: bigint },
  ): UserAccess {
    let user = this.access.users.get(caller.userId)
    if (!user) {
      user = new UserAccess(caller.userId, caller.roleIds, caller.rolesVersion)
      this.access.users.set(caller.userId, user)
    } else if (user.setRoles(caller.roleIds, caller.rolesVersion)) {
      this.#applyChange(this.access.recomputeFor(user))
    }
    user.connections.add(connection)
    this.connections.add(connection)
    return user
  }

  detach(connection: Subscriber, user: UserAccess): void {
    this.connections.delete(connection)
    user.connections.delete(connection)
    if (user.connections.size === 0 && this.access.users.get(user.userId) === user)
      this.access.users.delete(user.userId)
  }

  finishLoading(user: UserAccess): void {
    user.loaded = true
    this.#applyChange(this.access.recomputeFor(user))
  }

  subscribe(connection: Subscriber, user: UserAccess): void {
    for (const topic of topicsOf(user)) connection.subscribe(topic)
    connection.subscribe(topics.slice(this.#nextSlice++ % slices))
    this.hintTopics.subscribe(connection, user)
  }

  /** Reports that this node has received all events stored since a time, in milliseconds since 1970. */
  setReplayableSince(timeMs: number): void {
    this.#options.replayBuffer.setCompleteSince(timeMs)
  }

  replay(user: UserAccess, position: string): Replay {
    return this.#options.replayBuffer.replaySince(position, user.userId, topicsOf(user))
  }

  #recordAccessChange({ affected }: AccessChange): void {
    const { replayBuffer } = this.#options
    if (affected === 'everyone') replayBuffer.recordEveryonesAccessChange()
    else for (const userId of affected) replayBuffer.recordAccessChange(userId)
  }

  #forget(userId: string): void {
    this.#publisher.forget(userId)
    this.#options.replayBuffer.forget(userId)
  }

  /**
   * If the event has a lower version than the known roles and names other roles, makes the user's sockets reconnect,
   * which loads the roles from the service `accounts`.
   */
  #reconnectIfContradicted(userId: string, { roleIds, rolesVersion }: UserRolesChangedFact): void {
    const user = this.access.users.get(userId)
    if (!user?.isContradictedBy(roleIds, rolesVersion)) return
    user.forgetRoles()
    this.#reconnect(user)
  }

  #reconnect(user: UserAccess): void {
    for (const connection of [...user.connections]) connection.end(streamClosed)
  }

  /**
   * If the sessions were revoked, ends their sockets; otherwise all sockets of the user, as clients expect. After an
   * old event, ends only those whose session is no longer valid.
   */
  #endSockets({ aggregateId, occurredAt }: Event, { credentialIds, reason }: CredentialsEndedFact): void {
    const user = this.access.users.get(aggregateId)
    if (!user) return
    const connections = [...user.connections].filter(
      ({ credentialId }) => reason !== 'session_revoked' || credentialIds.includes(credentialId ?? ''),
    )
    const isOld = occurredAt !== undefined && timestampMs(occurredAt) < this.#now() - maxUncheckedEndAgeMs
    if (isOld) this.#options.verify(connections)
    else for (const connection of connections) connection.end(sessionTerminated)
  }

  #applyChange(change: AccessChange): void {
    this.#lose(change)
    this.#gain(change)
  }

  #gain({ gains }: AccessChange): void {
    for (const { user, roomId } of gains) {
      user.rooms.add(roomId)
      for (const connection of openConnectionsOf(user)) {
        connection.subscribe(topics.room(roomId))
        this.hintTopics.subscribeToRoom(connection, roomId)
      }
    }
  }

  #lose({ losses }: AccessChange): void {
    for (const { user, roomId } of losses) {
      user.rooms.delete(roomId)
      for (const connection of openConnectionsOf(user)) {
        connection.unsubscribe(topics.room(roomId))
        this.hintTopics.unsubscribeFromRoom(connection, roomId)
      }
    }
  }
}

const topicsOf = ({ userId, rooms }: UserAccess): string[] => [
  topics.everyone,
  topics.user(userId),
  ...[...rooms].map(topics.room),
]
