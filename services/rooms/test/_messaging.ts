import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import type { MessagingInternalService, RoomFact } from '@parley/contracts/internal'

type State = { hasUnread?: boolean; lastMessageAt?: Date }

/** Accepts facts in version order as the real one does; tests can make it fail. */
export class FakeMessaging {
  readonly held = new Map<string, RoomFact[]>()
  readonly calls: { roomId: string; versions: bigint[]; awaitStream: boolean }[] = []
  readonly offStream = new Set<string>()
  stateCalls = 0
  readonly #states = new Map<string, State>()
  #pause: { until: Promise<void>; end: () => void } | undefined

  /** Holds calls until `answer` is called; then they fail. */
  stopAnswering(): void {
    const { promise: until, resolve: end } = Promise.withResolvers<void>()
    this.#pause = { until, end }
  }

  answer(): void {
    this.#pause?.end()
    this.#pause = undefined
  }

  /** Keeps only the first `count` facts, as a restore from a backup does. */
  restore(roomId: string, count: number): void {
    this.held.set(roomId, this.factsOf(roomId).slice(0, count))
  }

  /** Adds a fact that is unknown to the restored database of rooms. */
  addLostFact(roomId: string, fact: RoomFact): void {
    this.held.set(roomId, [...this.factsOf(roomId), fact])
  }

  factsOf(roomId: string): RoomFact[] {
    return this.held.get(roomId) ?? []
  }

  versionOf(roomId: string): bigint {
    return this.factsOf(roomId).at(-1)?.version ?? 0n
  }

  kindsOf(roomId: string): (string | undefined)[] {
    return this.factsOf(roomId).map(({ fact }) => fact.case)
  }

  /** Whether the newest fact was sent with `awaitStream`. */
  waitedForStream(roomId: string): boolean {
    const newest = this.versionOf(roomId)
    return this.calls.some((call) => call.roomId === roomId && call.awaitStream && call.versions.includes(newest))
  }

  setState(userId: string, roomId: string, state: State): void {
    this.#states.set(`${userId} ${roomId}`, state)
  }

  #standings(roomId: string, aboveVersion: bigint) {
    const held = this.factsOf(roomId)
    const room = { name: '', groupId: '', universal: false, archived: false }
    const standings = new Map<string, { userId: string; member: boolean; banned: boolean; changed: boolean }>()
    for (const { fact, version } of held) {
      if (fact.case === 'created') Object.assign(room, pick(fact.value))
      if (fact.case === 'updated' || fact.case === 'moved' || fact.case === 'universal')
        Object.assign(room, pick(fact.value))
      if (fact.case === 'archived' || fact.case === 'unarchived') room.archived = fact.case === 'archived'
      if (!fact.value || !('userId' in fact.value)) continue
      const { userId } = fact.value
      const { member = false, banned = false, changed = false } = standings.get(userId) ?? {}
      const isMembership = fact.case === 'joined' || fact.case === 'left'
      standings.set(userId, {
        userId,
        member: isMembership ? fact.case === 'joined' : member && fact.case !== 'banned',
        banned: isMembership ? banned : fact.case === 'banned',
        changed: changed || version > aboveVersion,
      })
    }
    const sorted = [...standings.values()].sort((a, b) => (a.userId < b.userId ? -1 : 1))
    return { ...room, standings: sorted.filter(({ changed }) => changed) }
  }

  readonly impl: Partial<ServiceImpl<typeof MessagingInternalService>> = {
    applyRoomFacts: async ({ roomId, facts, awaitStream, standings }) => {
      this.calls.push({ roomId, versions: facts.map(({ version }) => version), awaitStream })
      if (this.#pause) {
        await this.#pause.until
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
      const room = standings && this.#standings(roomId, standings.aboveVersion)
      const heldEventId = this.factsOf(roomId).at(-1)?.eventId ?? ''
      return { heldVersion: this.versionOf(roomId), heldEventId, ...(room && { room }) }
    },
    roomStates: async ({ userId, roomIds }) => {
      this.stateCalls++
      if (this.#pause) {
        await this.#pause.until
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

const pick = ({ name, groupId, universal }: Partial<{ name: string; groupId: string; universal: boolean }>) => ({
  ...(name !== undefined && { name }),
  ...(groupId !== undefined && { groupId }),
  ...(universal !== undefined && { universal }),
})
