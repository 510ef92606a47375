import type { RoomFact } from '@parley/contracts/internal'
import type { Db } from '@parley/postgres'
import type { ApplyFacts, HeldFact, ReadHeldRoom } from '../../clients/messaging.ts'
import { takesAccessAway } from '../../domain/room-fact.ts'
import { notAppliedYet } from '../../errors.ts'
import { countFacts, reportDeliveryFailure, reportFactsRebased } from '../../metrics.ts'
import {
  findFactsAbove,
  factsPerCall,
  findFact,
  markApplied,
  summarizeUnapplied,
  findUnappliedFacts,
} from '../../store/facts.ts'
import { rebaseFacts } from '../../store/rebase-facts.ts'
import { RoomDeliveries, type RemainingTime, type Target } from './room-deliveries.ts'
import type { FactStore } from './room-delivery.ts'

/** Disposing waits for running deliveries. */
export type FactDelivery = AsyncDisposable & {
  /**
   * To be called after the commit. Resolves when messaging has applied the facts; throws unavailable if that takes too
   * long.
   */
  deliver(roomId: string, facts: readonly RoomFact[], remaining?: RemainingTime): Promise<void>
  /**
   * For a call that finds its change already made: resolves when messaging has applied all stored facts; with
   * `isAbout`, only those up to the newest match, unless there are too many to search. Throws unavailable if that takes
   * too long.
   */
  waitUntilApplied(roomId: string, remaining?: RemainingTime, isAbout?: (fact: RoomFact) => boolean): Promise<void>
  /**
   * Sends the unapplied facts up to a version. Resolves when messaging has applied them; throws unavailable if that
   * takes too long.
   */
  sendStored(roomId: string, version: bigint, awaitStream: boolean): Promise<void>
  /**
   * `held`: messaging's last fact. If this database has lost it, gives the unapplied facts higher versions, adds facts
   * that restate what differs, delivers all and returns the newest version. Otherwise returns undefined.
   */
  reconcile(roomId: string, held: HeldFact, remaining?: RemainingTime): Promise<bigint | undefined>
  /** Calls the listener when messaging has not applied facts in time, until the result is disposed. */
  onLeftBehind(listener: () => void): Disposable
}

export function openFactDelivery(options: {
  db: Db
  apply: ApplyFacts
  read: ReadHeldRoom
  timeoutMs: number
}): FactDelivery {
  const { db, apply, read, timeoutMs } = options
  const facts = factStore(db, read)
  const deliveries = new RoomDeliveries({ apply, facts, timeoutMs })

  async function reconcile(roomId: string, held: HeldFact, remaining?: RemainingTime): Promise<bigint | undefined> {
    const { newest } = await facts.rebase(roomId, held, [])
    if (newest !== undefined)
      await deliveries.wait(roomId, { version: newest, facts: [], awaitStream: false }, remaining)
    return newest
  }

  /** An empty request only returns messaging's last fact. */
  async function fetchHeldAndReconcile(roomId: string, remaining?: RemainingTime): Promise<void> {
    const request = { roomId, facts: [], awaitStream: false, timeoutMs: deliveries.waitMs(remaining) }
    const held = await apply(request).catch((error: unknown) => {
      reportDeliveryFailure(roomId, error)
      throw notAppliedYet()
    })
    await reconcile(roomId, held, remaining)
  }

  return {
    async deliver(roomId, made, remaining) {
      const version = made.at(-1)?.version
      if (version === undefined) return
      countFacts(made)
      await deliveries.wait(roomId, { version, facts: made, awaitStream: made.some(takesAccessAway) }, remaining)
    },
    reconcile,
    async waitUntilApplied(roomId, remaining, isAbout) {
      await fetchHeldAndReconcile(roomId, remaining)
      const target = await unappliedTarget(db, roomId, isAbout)
      if (target) await deliveries.wait(roomId, target, remaining)
    },
    sendStored: (roomId, version, awaitStream) => deliveries.wait(roomId, { version, facts: [], awaitStream }),
    onLeftBehind: (listener) => deliveries.onLeftBehind(listener),
    [Symbol.asyncDispose]: () => deliveries.drain(),
  }
}

function factStore(db: Db, read: ReadHeldRoom): FactStore {
  return {
    findAbove: (roomId, version) => findFactsAbove(db, roomId, version),
    unapplied: (roomId, upTo) => findUnappliedFacts(db, roomId, upTo),
    one: (roomId, version) => findFact(db, roomId, version),
    async rebase(roomId, held, versions) {
      const done = await rebaseFacts(db, roomId, held, { versions, read })
      if (done.rebased > 0) reportFactsRebased(roomId, held.version, done.rebased)
      return done
    },
    markApplied: (roomId, upTo, streamed) => markApplied(db, roomId, upTo, streamed),
  }
}

/**
 * All unapplied facts of a room; with `isAbout`, only those up to the newest match, unless there are too many to
 * search. Includes facts above the version that the caller read: a rebase may have given the caller's change a higher
 * version, or restated it. Undefined if there are none.
 */
async function unappliedTarget(
  db: Db,
  roomId: string,
  isAbout?: (fact: RoomFact) => boolean,
): Promise<Target | undefined> {
  const facts = isAbout ? await findUnappliedFacts(db, roomId) : []
  if (isAbout && facts.length < factsPerCall) {
    const fact = facts.findLast(isAbout)
    return fact && { version: fact.version, facts: [], awaitStream: takesAccessAway(fact) }
  }
  const unapplied = await summarizeUnapplied(db, roomId)
  return unapplied && { ...unapplied, facts: [] }
}
