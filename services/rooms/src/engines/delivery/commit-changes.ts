import { enqueue } from '@parley/events'
import type { RoomFact } from '@parley/contracts/internal'
import type { Db, Tx } from '@parley/postgres'
import { noteEvent, roomGroupsUpdated, type LayoutNote } from '../../domain/layout-event.ts'
import type { Cause } from '../../domain/room-fact.ts'
import { roomNotFound } from '../../errors.ts'
import type { Outcome } from '../../policy/outcome.ts'
import { changeMemberships, lockRoom, type Changed, type Membership } from '../../store/changes.ts'
import { nextLayoutVersion } from '../../store/layout.ts'
import type { RoomRow, SeenRoom } from '../../store/rows.ts'
import { findStandings, getRoomSeen } from '../../store/seen-rooms.ts'

export type DecidedChange = {
  roomId: string
  /** Whose standing the decision looks at. */
  userId: string
  cause: Cause
  /** Throws what forbids the change. Asked twice: before the room is locked, and under the lock. */
  decide: (seen: SeenRoom) => Outcome
  /** The membership of the user that begins or ends, or what else is written. */
  write: 'join' | 'leave' | ((tx: Tx, room: RoomRow) => Promise<Changed>)
  /** Tells the facts that may have made the change before: without anything to write the newest of them is waited for. */
  isAbout: (fact: RoomFact) => boolean
  /**
   * When the groups people see may look different afterwards: what else the audit log notes of it; undefined when they look
   * the same after all.
   */
  touchesLayout?: (before: RoomRow) => LayoutNote[] | undefined
}

/** A change as it was written, with the entries of the outbox. */
export type Committed = Changed & { entries: bigint[] }

/** Commits changes of one room in the order given, in one transaction: the layout before the room, as everybody locks them. */
export function commitChanges(db: Db, roomId: string, changes: readonly DecidedChange[]): Promise<Committed[]> {
  return db.transaction(async (tx) => {
    const layoutVersions = new Map<DecidedChange, bigint>()
    for (const change of changes) if (change.touchesLayout) layoutVersions.set(change, await nextLayoutVersion(tx))
    if (!(await lockRoom(tx, roomId))) throw roomNotFound()
    const committed: Committed[] = []
    for (const run of runsOf(changes)) {
      const [first] = run
      if (isMembership(first)) committed.push(...(await commitMemberships(tx, roomId, run)))
      else committed.push(await commitOne(tx, first, layoutVersions.get(first)))
    }
    return committed
  })
}

type Run = [DecidedChange, ...DecidedChange[]]

const isMembership = ({ write }: DecidedChange): boolean => write === 'join' || write === 'leave'

/** Changes that are written together: memberships of different people, or a single one of another kind. */
function runsOf(changes: readonly DecidedChange[]): Run[] {
  const runs: Run[] = []
  for (const change of changes) {
    const run = runs.at(-1)
    const fits = run && isMembership(change) && isMembership(run[0])
    if (fits && run.every(({ userId }) => userId !== change.userId)) run.push(change)
    else runs.push([change])
  }
  return runs
}

/** Few statements, however many people come or go. */
async function commitMemberships(tx: Tx, roomId: string, changes: readonly DecidedChange[]): Promise<Committed[]> {
  // A statement of its own: only what is read after the lock was granted counts.
  const { room, standings } = await findStandings(
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

async function commitOne(tx: Tx, change: DecidedChange, layoutVersion: bigint | undefined): Promise<Committed> {
  const { roomId, userId, cause, decide, write, touchesLayout } = change
  const seen = await getRoomSeen(tx, userId, roomId, cause.actorId)
  if (decide(seen) === 'nothing' || typeof write === 'string') return { room: seen.room, facts: [], entries: [] }
  const changed = await write(tx, seen.room)
  const notes = touchesLayout?.(seen.room)
  if (layoutVersion === undefined || notes === undefined) return { ...changed, entries: [] }
  const told = roomGroupsUpdated(layoutVersion, { groupId: changed.room.groupId ?? '', roomId }, cause)
  const events = [told, ...notes.map((note) => noteEvent(note, layoutVersion, cause))]
  return { ...changed, entries: await enqueue(tx, events) }
}
