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
  /** The user whose standing is needed for the decision. */
  userId: string
  cause: Cause
  /** Throws if the change is forbidden. Called twice: before the room is locked, and under the lock. */
  decide: (seen: SeenRoom) => Outcome
  /** The membership of the user that begins or ends, or another change. */
  write: 'join' | 'leave' | ((tx: Tx, room: RoomRow) => Promise<Changed>)
  /**
   * Recognises the facts of an earlier, identical change. If there is nothing to write, the newest of them is awaited.
   */
  isAbout: (fact: RoomFact) => boolean
  /**
   * Set if the change may alter the groups that people see. Returns the notes for the audit log, or undefined if
   * nothing visible changes.
   */
  touchesLayout?: (before: RoomRow) => LayoutNote[] | undefined
}

/** A committed change, with its outbox entries. */
export type Committed = Changed & { entries: bigint[] }

/**
 * Commits changes of one room in the given order, in one transaction. Locks the layout before the room, as all
 * transactions do.
 */
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

/** The number of statements does not depend on the number of people who join or leave. */
async function commitMemberships(tx: Tx, roomId: string, changes: readonly DecidedChange[]): Promise<Committed[]> {
  // A separate statement: only data read after the lock was granted is current.
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
  const layoutEvent = roomGroupsUpdated(layoutVersion, { groupId: changed.room.groupId ?? '', roomId }, cause)
  const events = [layoutEvent, ...notes.map((note) => noteEvent(note, layoutVersion, cause))]
  return { ...changed, entries: await enqueue(tx, events) }
}
