import { nextVersion } from '@parley/events'
import { disconnectedAt, isLive, newer, noConnection, type Connection } from './connection.ts'
import { arrivalMs, clockSlackMs } from './limits.ts'
import type { CallRow } from '../store/calls.ts'
import type { ParticipantRow } from '../store/participants.ts'

/** How a change was detected. */
export type Source = ParticipantRow['source']

/** An event for the room about a change. */
export type CallEvent = {
  kind: 'call_started' | 'call_participant_joined' | 'call_participant_left' | 'call_ended'
  /** Who joined or left; empty for the call itself. */
  userId: string
  /** Empty for the system. */
  actorId: string
  version: bigint
}

/** A call while its row is locked: changes are made here and then written together. */
export class Call {
  readonly source: Source
  readonly now: Date
  readonly events: CallEvent[] = []
  /** Participants to remove at the media server. */
  readonly removals = new Set<string>()
  readonly #participants: Map<string, ParticipantRow>
  readonly #changed = new Set<string>()
  #row: CallRow

  constructor(row: CallRow, participants: readonly ParticipantRow[], about: { source: Source; now: Date }) {
    this.#row = row
    this.#participants = new Map(participants.map((participant) => [participant.userId, participant]))
    this.source = about.source
    this.now = about.now
  }

  get row(): CallRow {
    return this.#row
  }

  get changed(): ParticipantRow[] {
    return [...this.#changed].flatMap((userId) => this.#participants.get(userId) ?? [])
  }

  find(userId: string): ParticipantRow | undefined {
    return this.#participants.get(userId)
  }

  present(): ParticipantRow[] {
    return [...this.#participants.values()].filter(({ leftAt }) => leftAt === null)
  }

  start(userId: string): void {
    this.#announce('call_started', '', userId)
  }

  /** Adds a user who is about to connect to the media server. */
  join(userId: string): void {
    this.#put({ ...this.#of(userId), awaitedSince: this.now })
  }

  /** Removes a user. All their connections until now are over, including those reported later. */
  leave(userId: string): void {
    const participant = this.#participants.get(userId)
    if (!participant) return
    if (participant.leftAt === null || !participant.disconnected) this.removals.add(userId)
    const held = connectionOf(participant)
    const connection = newer({ ...held, disconnected: true }, disconnectedAt(this.now.getTime()))
    this.#put({ ...participant, ...stored(connection), awaitedSince: null })
  }

  /** Applies a report that a connection began or ended, possibly long ago. Returns whether that changes anything. */
  applyConnection(userId: string, connection: Connection): boolean {
    const participant = this.#of(userId)
    const held = connectionOf(participant)
    const next = newer(held, connection)
    if (next === held || (next.sid === held.sid && next.disconnected === held.disconnected)) return false
    this.#put({ ...participant, ...stored(next), ...(next.sid !== held.sid && this.#arrived(participant, next)) })
    return true
  }

  /**
   * Records that the media server closed a room of the call, which ends the call unless somebody has joined since or is
   * in another room. Returns whether the call continues.
   */
  closeMediaRoom(sid: string, closedAt: Date): boolean {
    if (!this.#row.closedMediaRooms.includes(sid))
      this.#row = { ...this.#row, closedMediaRooms: [...this.#row.closedMediaRooms, sid] }
    for (const participant of this.present()) {
      const joinedSince = participant.awaitedSince !== null && participant.awaitedSince > closedAt
      this.#put(joinedSince ? participant : { ...participant, awaitedSince: null })
    }
    if (this.present().length > 0) return true
    this.end()
    return false
  }

  /** Records a connection that the media server currently lists, overriding earlier reports. */
  see(userId: string, connection: Connection): void {
    const participant = this.#of(userId)
    const held = connectionOf(participant)
    const arrived = this.#arrived(participant, connection)
    if (held.sid === connection.sid && isLive(held, this.#row.closedMediaRooms) && !arrived) return
    this.#put({ ...participant, ...stored(connection), ...arrived })
  }

  /** Records that the media server does not list a participant. */
  miss(userId: string): void {
    const participant = this.#participants.get(userId)
    if (!participant || participant.leftAt !== null) return
    if (this.#isAwaited(participant)) return
    this.#put({ ...participant, disconnected: true, awaitedSince: null })
  }

  /** Ends the call. `userId`: the user who ended it, if any. */
  end(userId = ''): void {
    for (const participant of this.present())
      this.#put({ ...participant, ...stored({ ...connectionOf(participant), disconnected: true }), awaitedSince: null })
    this.#announce('call_ended', '', userId)
    this.#row = { ...this.#row, endedAt: this.now, e2eeKey: null }
    this.removals.clear()
  }

  #of(userId: string): ParticipantRow {
    const known = this.#participants.get(userId)
    if (known) return known
    return {
      ...{ callId: this.#row.id, userId, joinedAt: this.now, leftAt: this.now, source: this.source },
      ...{ awaitedSince: null, ...stored(noConnection), revision: 0 },
    }
  }

  #arrived({ awaitedSince }: ParticipantRow, { connectedAt }: Connection): Partial<ParticipantRow> | false {
    return awaitedSince !== null && connectedAt >= awaitedSince.getTime() - clockSlackMs && { awaitedSince: null }
  }

  #isAwaited({ awaitedSince }: ParticipantRow): boolean {
    return awaitedSince !== null && awaitedSince.getTime() + arrivalMs > this.now.getTime()
  }

  /** Stores the known state of a participant, and decides whether they are in the call. */
  #put(participant: ParticipantRow): void {
    const { userId, leftAt } = participant
    const isHere = this.#isAwaited(participant) || isLive(connectionOf(participant), this.#row.closedMediaRooms)
    const comes = isHere && leftAt !== null
    const goes = !isHere && leftAt === null
    const { source, now } = this
    this.#changed.add(userId)
    this.#participants.set(userId, {
      ...participant,
      ...(comes && { joinedAt: now, leftAt: null, source }),
      ...(goes && { leftAt: now, source }),
      revision: participant.revision + 1,
    })
    if (comes) this.#announce('call_participant_joined', userId, userId)
    if (goes) this.#announce('call_participant_left', userId, userId)
  }

  #announce(kind: CallEvent['kind'], userId: string, actorId: string): void {
    const version = nextVersion(this.#row.version, this.now)
    this.#row = { ...this.#row, version }
    this.events.push({ kind, userId, actorId, version })
  }
}

function connectionOf(participant: ParticipantRow): Connection {
  const { connectionSid: sid, mediaRoomSid, connectedAt, disconnected } = participant
  return { sid, mediaRoomSid, connectedAt, disconnected }
}

const stored = ({ sid, ...connection }: Connection) => ({ ...connection, connectionSid: sid })
