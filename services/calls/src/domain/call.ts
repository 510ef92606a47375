import { nextVersion } from '@parley/events'
import { disconnectedAt, isLive, pickNewer, noConnection, type Connection } from './connection.ts'
import { connectTimeoutMs, clockSlackMs } from './limits.ts'
import type { CallRow } from '../store/calls.ts'
import type { ParticipantRow } from '../store/participants.ts'

export type Source = ParticipantRow['source']

export type CallEvent = {
  kind: 'call_started' | 'call_participant_joined' | 'call_participant_left' | 'call_ended'
  userId: string
  actorId: string
  version: bigint
}

/** The call's row is locked. Changes are made in memory and then written together. */
export class Call {
  readonly source: Source
  readonly now: Date
  readonly events: CallEvent[] = []
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

  get changedParticipants(): ParticipantRow[] {
    return [...this.#changed].flatMap((userId) => this.#participants.get(userId) ?? [])
  }

  find(userId: string): ParticipantRow | undefined {
    return this.#participants.get(userId)
  }

  presentParticipants(): ParticipantRow[] {
    return [...this.#participants.values()].filter(({ leftAt }) => leftAt === null)
  }

  start(userId: string): void {
    this.#announce('call_started', '', userId)
  }

  /** The user is about to connect to the media server. */
  join(userId: string): void {
    this.#store({ ...this.#getOrCreate(userId), awaitedSince: this.now })
  }

  /** All connections of the user up to now count as ended, including those that are reported later. */
  leave(userId: string): void {
    const participant = this.#participants.get(userId)
    if (!participant) return
    if (participant.leftAt === null || !participant.disconnected) this.removals.add(userId)
    const held = connectionOf(participant)
    const connection = pickNewer({ ...held, disconnected: true }, disconnectedAt(this.now.getTime()))
    this.#store({ ...participant, ...toColumns(connection), awaitedSince: null })
  }

  /** Applies a report, possibly late, that a connection began or ended. Returns whether it changes anything. */
  applyConnection(userId: string, connection: Connection): boolean {
    const participant = this.#getOrCreate(userId)
    const held = connectionOf(participant)
    const next = pickNewer(held, connection)
    if (next === held || (next.sid === held.sid && next.disconnected === held.disconnected)) return false
    this.#store({
      ...participant,
      ...toColumns(next),
      ...(next.sid !== held.sid && this.#clearAwaited(participant, next)),
    })
    return true
  }

  /** Ends the call unless somebody joined later or is in another media room. Returns whether the call continues. */
  closeMediaRoom(sid: string, closedAt: Date): boolean {
    if (!this.#row.closedMediaRooms.includes(sid))
      this.#row = { ...this.#row, closedMediaRooms: [...this.#row.closedMediaRooms, sid] }
    for (const participant of this.presentParticipants()) {
      const joinedSince = participant.awaitedSince !== null && participant.awaitedSince > closedAt
      this.#store(joinedSince ? participant : { ...participant, awaitedSince: null })
    }
    if (this.presentParticipants().length > 0) return true
    this.end()
    return false
  }

  /** The media server currently lists this connection, which overrides earlier reports. */
  recordListed(userId: string, connection: Connection): void {
    const participant = this.#getOrCreate(userId)
    const held = connectionOf(participant)
    const noLongerAwaited = this.#clearAwaited(participant, connection)
    if (held.sid === connection.sid && isLive(held, this.#row.closedMediaRooms) && !noLongerAwaited) return
    this.#store({ ...participant, ...toColumns(connection), ...noLongerAwaited })
  }

  recordUnlisted(userId: string): void {
    const participant = this.#participants.get(userId)
    if (!participant || participant.leftAt !== null) return
    if (this.#isAwaited(participant)) return
    this.#store({ ...participant, disconnected: true, awaitedSince: null })
  }

  end(userId = ''): void {
    for (const participant of this.presentParticipants())
      this.#store({
        ...participant,
        ...toColumns({ ...connectionOf(participant), disconnected: true }),
        awaitedSince: null,
      })
    this.#announce('call_ended', '', userId)
    this.#row = { ...this.#row, endedAt: this.now, e2eeKey: null }
    this.removals.clear()
  }

  #getOrCreate(userId: string): ParticipantRow {
    const known = this.#participants.get(userId)
    if (known) return known
    return {
      ...{ callId: this.#row.id, userId, joinedAt: this.now, leftAt: this.now, source: this.source },
      ...{ awaitedSince: null, ...toColumns(noConnection), revision: 0 },
    }
  }

  /** The change that clears `awaitedSince` if the participant connected after joining; otherwise false. */
  #clearAwaited({ awaitedSince }: ParticipantRow, { connectedAt }: Connection): Partial<ParticipantRow> | false {
    return awaitedSince !== null && connectedAt >= awaitedSince.getTime() - clockSlackMs && { awaitedSince: null }
  }

  #isAwaited({ awaitedSince }: ParticipantRow): boolean {
    return awaitedSince !== null && awaitedSince.getTime() + connectTimeoutMs > this.now.getTime()
  }

  #store(participant: ParticipantRow): void {
    const { userId, leftAt } = participant
    const isPresent = this.#isAwaited(participant) || isLive(connectionOf(participant), this.#row.closedMediaRooms)
    const joins = isPresent && leftAt !== null
    const leaves = !isPresent && leftAt === null
    const { source, now } = this
    this.#changed.add(userId)
    this.#participants.set(userId, {
      ...participant,
      ...(joins && { joinedAt: now, leftAt: null, source }),
      ...(leaves && { leftAt: now, source }),
      revision: participant.revision + 1,
    })
    if (joins) this.#announce('call_participant_joined', userId, userId)
    if (leaves) this.#announce('call_participant_left', userId, userId)
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

const toColumns = ({ sid, ...connection }: Connection) => ({ ...connection, connectionSid: sid })
