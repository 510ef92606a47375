import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import type { MessagingInternalService, RoomFact } from '@parley/contracts/internal'

type State = { hasUnread?: boolean; lastMessageAt?: Date }

/** A stand-in for messaging: takes facts in version order as the real one does, and can misbehave. */
export class FakeMessaging {
  /** What is held of each room. */
  readonly held = new Map<string, RoomFact[]>()
  /** Every call of ApplyRoomFacts, as versions. */
  readonly calls: { roomId: string; versions: bigint[]; awaitStream: boolean }[] = []
  /** Rooms whose events do not reach the stream. */
  readonly offStream = new Set<string>()
  /** How often rooms were asked about. */
  stateCalls = 0
  readonly #states = new Map<string, State>()
  #silence: { until: Promise<void>; end: () => void } | undefined

  /** Takes calls and never answers them, until `speak`. */
  fallSilent(): void {
    let end = () => {}
    const until = new Promise<void>((resolve) => (end = resolve))
    this.#silence = { until, end }
  }

  speak(): void {
    this.#silence?.end()
    this.#silence = undefined
  }

  /** Forgets what came after the first facts, as a restore from a backup does. */
  restore(roomId: string, facts: number): void {
    this.held.set(roomId, this.factsOf(roomId).slice(0, facts))
  }

  /** Takes a fact that nobody will ever know of: the database of rooms went back. */
  hold(roomId: string, fact: RoomFact): void {
    this.held.set(roomId, [...this.factsOf(roomId), fact])
  }

  factsOf(roomId: string): RoomFact[] {
    return this.held.get(roomId) ?? []
  }

  /** The version held of a room. */
  versionOf(roomId: string): bigint {
    return this.factsOf(roomId).at(-1)?.version ?? 0n
  }

  /** The facts of a room as their kinds, oldest first. */
  kindsOf(roomId: string): (string | undefined)[] {
    return this.factsOf(roomId).map(({ fact }) => fact.case)
  }

  /** Whether the newest fact held of a room was handed over with the wish to wait for the stream, whatever else was. */
  waitedForStream(roomId: string): boolean {
    const newest = this.versionOf(roomId)
    return this.calls.some((call) => call.roomId === roomId && call.awaitStream && call.versions.includes(newest))
  }

  setState(userId: string, roomId: string, state: State): void {
    this.#states.set(`${userId} ${roomId}`, state)
  }

  readonly impl: Partial<ServiceImpl<typeof MessagingInternalService>> = {
    applyRoomFacts: async ({ roomId, facts, awaitStream }) => {
      this.calls.push({ roomId, versions: facts.map(({ version }) => version), awaitStream })
      if (this.#silence) {
        await this.#silence.until
        throw new ConnectError('restarting', Code.Unavailable)
      }
      const held = this.factsOf(roomId)
      this.held.set(roomId, held)
      for (const fact of facts) {
        const { version, eventId } = held.at(-1) ?? { version: 0n, eventId: '' }
        const follows = fact.previousVersion === version && ['', eventId].includes(fact.previousEventId)
        if (fact.version > version && follows) held.push(fact)
      }
      if (awaitStream && this.offStream.has(roomId)) throw new ConnectError('not on the stream', Code.Unavailable)
      return { heldVersion: this.versionOf(roomId), heldEventId: this.factsOf(roomId).at(-1)?.eventId ?? '' }
    },
    roomStates: async ({ userId, roomIds }) => {
      this.stateCalls++
      if (this.#silence) {
        await this.#silence.until
        throw new ConnectError('restarting', Code.Unavailable)
      }
      const entries = roomIds
        .filter((roomId) => this.held.has(roomId))
        .map((roomId) => {
          const { hasUnread = false, lastMessageAt } = this.#states.get(`${userId} ${roomId}`) ?? {}
          const last = lastMessageAt && { lastMessageAt: timestampFromDate(lastMessageAt) }
          return { roomId, hasUnread, empty: !lastMessageAt, ...last }
        })
      return { entries }
    },
  }
}
