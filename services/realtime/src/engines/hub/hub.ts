import type { Policy } from '@parley/permissions'
import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { CredentialsEndedFact, Event, UserRolesChangedFact } from '@parley/contracts/internal'
import { sessionTerminated, streamClosed, type StreamEnd } from '../../errors.ts'
import type { Metrics } from '../../metrics.ts'
import { Access, type AccessChange } from './access.ts'
import { eventFrame, hintFrame, positionOf } from './frame.ts'
import { HintTopics } from './hint-topics.ts'
import { Latest } from './latest.ts'
import { RecentVersions } from './recent-versions.ts'
import type { Subscriber } from './subscriber.ts'
import { topics } from './topics.ts'
import { UserAccess } from './user-access.ts'

type Options = {
  /** Hands one frame to every socket that subscribed to a topic. */
  publish: (topic: string, frame: Uint8Array) => void
  policy: () => Policy
  /** Asks accounts whether the sessions of these sockets still hold, and ends the others. */
  verify: (sockets: readonly Subscriber[]) => void
  metrics: Pick<Metrics, 'published'>
  now?: () => number
}

/** Older ends of sessions are ignored when relays publish them again after a loss: people have signed in since. */
const endIsOldMs = 60_000

/**
 * The fan-out of one node. Events go in stream order from one queue to topics. Nothing on this path waits, and no work
 * is done per socket except for users whose access changes.
 */
export class Hub implements Disposable {
  readonly access: Access
  readonly hintTopics = new HintTopics()
  /** Every socket past its hello. */
  readonly connections = new Set<Subscriber>()
  readonly #options: Options
  readonly #now: () => number
  readonly #seen = new RecentVersions()
  readonly #latest = new Latest()
  #position = positionOf(0, '')
  /** When all sockets were last reset, in milliseconds. */
  #resetAt = 0

  constructor(options: Options) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.access = new Access(options.policy, this.#now)
  }

  /** Place of the newest event this node has published. */
  get position(): string {
    return this.#position
  }

  /** Publishes an event, unless it was published before. */
  deliver(event: Event, streamSequence: number): void {
    if (!this.#seen.admit(event)) return
    this.#position = positionOf(streamSequence, event.id)
    const change = this.access.apply(event)
    this.#gain(change)
    if (!this.#isKnown(event)) this.#publishDeliveries(event)
    this.#lose(change)
    if (event.kind === 'account_deleted')
      for (const about of changesOfPerson.values()) this.#latest.forget(`${event.aggregateId} ${about}`)
    if (event.fact.case === 'credentialsEnded') this.#endSessions(event, event.fact.value)
    if (event.fact.case === 'userRolesChanged' && !this.#isKnown(event))
      this.#doubtRoles(event.aggregateId, event.fact.value)
  }

  [Symbol.dispose](): void {
    this.#latest[Symbol.dispose]()
  }

  /** The policy changed: universal rooms may be open or closed to other people now. */
  policyChanged(): void {
    this.#move(this.access.recompute())
  }

  /** The stream was interrupted: events may have been missed, so all clients reload. */
  reset(): void {
    this.#seen.clear()
    this.#resetAt = this.#now()
    this.endAll(streamClosed)
  }

  /** After a loss, relays publish old events again; clients connected since have already read that state. */
  #isKnown({ occurredAt }: Event): boolean {
    return occurredAt !== undefined && timestampMs(occurredAt) < this.#resetAt
  }

  endAll(end: StreamEnd): void {
    for (const connection of [...this.connections]) connection.end(end)
  }

  /** Number of sockets of a person on this node, counted from the accepted hello. */
  socketsOf(userId: string): number {
    return this.access.users.get(userId)?.connections.size ?? 0
  }

  /** A socket said who it is; from here changes of the user's access are kept. */
  attach(
    connection: Subscriber,
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

  detach(connection: Subscriber, user: UserAccess): void {
    this.connections.delete(connection)
    user.connections.delete(connection)
    if (user.connections.size === 0 && this.access.users.get(user.userId) === user)
      this.access.users.delete(user.userId)
  }

  /** The standings of a user are complete. */
  loaded(user: UserAccess): void {
    user.loaded = true
    this.#move(this.access.changesOnLoad(user))
  }

  /** Starts the stream of a socket. */
  subscribe(connection: Subscriber, user: UserAccess): void {
    connection.subscribe(topics.everyone)
    connection.subscribe(topics.user(user.userId))
    for (const roomId of user.rooms) connection.subscribe(topics.room(roomId))
    this.hintTopics.start(connection, user)
  }

  #publishDeliveries(event: Event): void {
    const { publish, metrics } = this.#options
    for (const { envelope, audience } of event.deliveries) {
      const frame = eventFrame(envelope, this.#position)
      switch (audience.case) {
        case 'roomId':
          this.#publishToRoom(audience.value, frame, this.#alsoInPerson(event, envelope))
          break
        case 'users':
          for (const userId of audience.value.userIds)
            if (this.access.users.has(userId)) publish(topics.user(userId), frame)
          break
        case 'everyone':
          this.#publishToEveryone(event, envelope)
          continue
        case undefined:
          continue
      }
      metrics.published(event)
    }
  }

  /**
   * A change by one person reaches everybody at most every two seconds. A delayed event has no position, like hints.
   */
  #publishToEveryone(event: Event, envelope: Uint8Array): void {
    const position = this.#position
    const publish = (): void => {
      const inPlace = position === this.#position
      this.#options.publish(topics.everyone, inPlace ? eventFrame(envelope, position) : hintFrame(envelope))
      this.#options.metrics.published(event)
    }
    const about = changesOfPerson.get(event.kind)
    if (about === undefined) return publish()
    this.#latest.offer(`${event.aggregateId} ${about}`, publish)
  }

  /** Excludes people who receive the event in person, such as joiners and leavers, so that they receive it once. */
  #publishToRoom(roomId: string, frame: Uint8Array, inPerson: readonly UserAccess[]): void {
    const topic = topics.room(roomId)
    const aside = inPerson.flatMap((user) => (user.rooms.has(roomId) ? openOf(user) : []))
    for (const connection of aside) connection.unsubscribe(topic)
    this.#options.publish(topic, frame)
    for (const connection of aside) connection.subscribe(topic)
  }

  #alsoInPerson({ deliveries }: Event, envelope: Uint8Array): UserAccess[] {
    if (deliveries.length === 1) return []
    return deliveries.flatMap((other) => {
      if (other.audience.case !== 'users' || !sameBytes(other.envelope, envelope)) return []
      return other.audience.value.userIds.flatMap((userId) => this.access.users.get(userId) ?? [])
    })
  }

  /** The event does not determine the roles; accounts does. The user's sockets are reopened. */
  #doubtRoles(userId: string, { roleIds, rolesVersion }: UserRolesChangedFact): void {
    const user = this.access.users.get(userId)
    if (!user?.isRefuted(roleIds, rolesVersion)) return
    user.forgetRoles()
    for (const connection of [...user.connections]) connection.end(streamClosed)
  }

  /** A sign-out ends every stream of the user, as clients know it; a session that is revoked ends its own. */
  #endSessions({ aggregateId, occurredAt }: Event, { credentialIds, reason }: CredentialsEndedFact): void {
    const user = this.access.users.get(aggregateId)
    if (!user) return
    const connections = [...user.connections].filter(
      ({ credentialId }) => reason !== 'session_revoked' || credentialIds.includes(credentialId ?? ''),
    )
    const isOld = occurredAt !== undefined && timestampMs(occurredAt) < this.#now() - endIsOldMs
    if (isOld) this.#options.verify(connections)
    else for (const connection of connections) connection.end(sessionTerminated)
  }

  #move(change: AccessChange): void {
    this.#lose(change)
    this.#gain(change)
  }

  #gain({ gains }: AccessChange): void {
    for (const { user, roomId } of gains) {
      user.rooms.add(roomId)
      for (const connection of openOf(user)) {
        connection.subscribe(topics.room(roomId))
        this.hintTopics.gain(connection, roomId)
      }
    }
  }

  #lose({ losses }: AccessChange): void {
    for (const { user, roomId } of losses) {
      user.rooms.delete(roomId)
      for (const connection of openOf(user)) {
        connection.unsubscribe(topics.room(roomId))
        this.hintTopics.lose(connection, roomId)
      }
    }
  }
}

/** Kinds of which only the newest event counts, and the property of a person that each concerns. */
const changesOfPerson: ReadonlyMap<string, string> = new Map([
  ['user_profile_updated', 'profile'],
  ['user_custom_status_set', 'custom status'],
  ['user_custom_status_cleared', 'custom status'],
])

const openOf = (user: UserAccess): Subscriber[] => [...user.connections].filter(({ isOpen }) => isOpen)

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && Buffer.compare(a, b) === 0
