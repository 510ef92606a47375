import { enqueue } from '@parley/events'
import type { RoomFact } from '@parley/contracts/internal'
import type { Db, Tx } from '@parley/postgres'
import { toAuditEvent, roomGroupsUpdated, type LayoutAuditEvent } from '../../domain/layout-event.ts'
import type { Cause } from '../../domain/room-fact.ts'
import { roomNotFound } from '../../errors.ts'
import type { Outcome } from '../../policy/outcome.ts'
import { changeMemberships, lockRoom, type Changed, type Membership } from '../../store/changes.ts'
import { nextLayoutVersion } from '../../store/layout.ts'
import type { RoomRow, RoomWithStanding } from '../../store/rows.ts'
import { getRoomWithStanding, getStandingsInRoom } from '../../store/rooms.ts'

export type RoomChange = {
  roomId: string
  userId: string
  cause: Cause
  /**
   * Throws if the change is forbidden. Called before the room is locked and, if there is something to change, again
   * under the lock.
   */
  decide: (seen: RoomWithStanding) => Outcome
  write: 'join' | 'leave' | ((tx: Tx, room: RoomRow) => Promise<Changed>)
  /**
   * Recognises facts of earlier, identical changes. If there is nothing to write, the call waits for the newest of
   * them.
   */
  isAbout: (fact: RoomFact) => boolean
  layoutAuditEvents?: (before: RoomRow) => LayoutAuditEvent[] | undefined
}

export type Committed = Changed & { entries: bigint[] }

/**
 * Commits the changes in the given order, in one transaction. If the layout may change, it is locked before the room,
 * as in all transactions, to avoid deadlocks.
 */
export function commitChanges(db: Db, roomId: string, changes: readonly RoomChange[]): Promise<Committed[]> {
  return db.transaction(async (tx) => {
    const layoutVersions = new Map<RoomChange, bigint>()
    for (const change of changes) if (change.layoutAuditEvents) layoutVersions.set(change, await nextLayoutVersion(tx))
    if (!(await lockRoom(tx, roomId))) throw roomNotFound()
    const committed: Committed[] = []
    for (const batch of toBatches(changes)) {
      const [first] = batch
      if (isMembership(first)) committed.push(...(await commitMemberships(tx, roomId, batch)))
      else committed.push(await commitOne(tx, first, layoutVersions.get(first)))
    }
    return committed
  })
}

type ChangeBatch = [RoomChange, ...RoomChange[]]

const isMembership = ({ write }: RoomChange): boolean => write === 'join' || write === 'leave'

function toBatches(changes: readonly RoomChange[]): ChangeBatch[] {
  const batches: ChangeBatch[] = []
  for (const change of changes) {
    const batch = batches.at(-1)
    const fits = batch && isMembership(change) && isMembership(batch[0])
    if (fits && batch.every(({ userId }) => userId !== change.userId)) batch.push(change)
    else batches.push([change])
  }
  return batches
}

async function commitMemberships(tx: Tx, roomId: string, changes: readonly RoomChange[]): Promise<Committed[]> {
  // A separate statement: only data read after the lock was granted is current.
  const { room, standings } = await getStandingsInRoom(
    tx,
    roomId,
    changes.map(({ userId }) => userId),
  )
  const wanted = changes.filter(
    ({ userId, decide }) => decide({ room, standing: standings.get(userId) ?? outsider }) === 'change',
  )
  const memberships = wanted.map(({ userId, write, cause }): Membership => ({
    userId,
    member: write === 'join',
    cause,
  }))
  const changed = (await changeMemberships(tx, room, memberships)).values()
  const made = new Map(wanted.map((change) => [change, changed.next().value]))
  return changes.map((change) => ({ ...(made.get(change) ?? { room, facts: [] }), entries: [] }))
}

const outsider = { member: false, banned: false }

async function commitOne(tx: Tx, change: RoomChange, layoutVersion: bigint | undefined): Promise<Committed> {
  const { roomId, userId, cause, decide, write, layoutAuditEvents } = change
  const seen = await getRoomWithStanding(tx, userId, roomId, cause.actorId)
  if (decide(seen) === 'nothing' || typeof write === 'string') return { room: seen.room, facts: [], entries: [] }
  const changed = await write(tx, seen.room)
  const auditEvents = layoutAuditEvents?.(seen.room)
  if (layoutVersion === undefined || auditEvents === undefined) return { ...changed, entries: [] }
  const layoutEvent = roomGroupsUpdated(layoutVersion, { groupId: changed.room.groupId ?? '', roomId }, cause)
  const events = [layoutEvent, ...auditEvents.map((event) => toAuditEvent(event, layoutVersion, cause))]
  return { ...changed, entries: await enqueue(tx, events) }
}
