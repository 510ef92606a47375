import type { Subject } from '@parley/permissions'
import { toOutboxRow, type OutgoingEvent } from '@parley/events'
import type { Context } from '../../context.ts'
import type { ChangeableMessage } from '../../domain/changeable.ts'
import { looksLikeId } from '../../domain/ids.ts'
import type { RoomLog, Standing } from '../../domain/room-header.ts'
import { accountDeleted, messageNotFound, roomNotFound } from '../../errors.ts'
import { assertMayRead } from '../../policy/room-access.ts'
import { findChangeable } from '../../store/changeable.ts'
import type { LockedLog } from '../../store/locked-log.ts'
import type { Connection } from '../../store/statement.ts'
import type { DecidedState } from '../../store/unchanged-room.ts'
import type { ChangeHeader } from '../../view/change-events.ts'

/** `signal` is aborted when the call ends. */
export type Target = { roomId: string; eventId: string; emoji?: string; signal: AbortSignal }

export type FoundMessage = { room: RoomLog; standing: Standing; message: ChangeableMessage }

export type Change<Result = void> = {
  write: (on: Connection) => Promise<Result>
  events: readonly OutgoingEvent[]
  /**
   * Writes a change with one event in one statement. Returns undefined, without writing anything, if the room has
   * changed since the decision, the message is retracted or the user is erased.
   */
  writeInOneStatement?: (
    on: Connection,
    decided: DecidedState,
  ) => Promise<{ entries: bigint[]; result: Result } | undefined>
}

export type ChangeResult<Result> =
  | { kind: 'written'; found: FoundMessage; result: Result }
  | { kind: 'unchanged'; found: FoundMessage }

/**
 * `decide` throws a refusal, or returns undefined if there is nothing to change. It is first called without a lock, so
 * that refusals and repetitions take none. If `writeInOneStatement` does not write the change, `decide` is called again
 * with the current state and the row of the room locked.
 */
export async function changeMessage<Result>(
  ctx: Context,
  caller: Subject,
  target: Target,
  decide: (found: FoundMessage) => Change<Result> | undefined,
): Promise<ChangeResult<Result>> {
  const { roomId, signal } = target
  if (!looksLikeId(roomId)) throw roomNotFound()
  const first = await readMessage(ctx, ctx.pool, caller, target)
  ctx.headers.put(first.room)
  const planned = decide(first)
  if (!planned) return { kind: 'unchanged', found: first }
  let changed: ChangeResult<Result> = { kind: 'unchanged', found: first }
  const changeUnderLock = async (log: LockedLog) => {
    const current = await readMessage(ctx, log.on, caller, target)
    const found = { ...current, room: { ...current.room, roomSeq: current.room.roomSeq + log.pendingPlaces } }
    const change = decide(found)
    changed = change ? { kind: 'written', found, result: await change.write(log.on) } : { kind: 'unchanged', found }
    return change?.events ?? []
  }
  const changeInOneStatement = async () => {
    const { room, standing } = first
    assertMayRead(ctx.policy(), caller, room, standing)
    const change = decide(first)
    const [event, ...others] = change?.events ?? []
    if (!change?.writeInOneStatement || !event || others.length > 0) return undefined
    const { version, roomSeq } = room
    const decided = { roomId, userId: caller.userId, version, roomSeq, entry: toOutboxRow(event) }
    const written = await change.writeInOneStatement(ctx.pool, decided)
    if (written) changed = { kind: 'written', found: first, result: written.result }
    return written?.entries
  }
  const command = {
    kind: 'change',
    change: changeUnderLock,
    ...(planned.writeInOneStatement && { changeInOneStatement }),
    signal,
  } as const
  const outcome = await ctx.writer.submit(roomId, command)
  if (outcome.kind === 'refused') throw outcome.error
  return changed
}

async function readMessage(ctx: Context, on: Connection, caller: Subject, target: Target): Promise<FoundMessage> {
  const { roomId, eventId, emoji = '' } = target
  const id = looksLikeId(eventId) ? eventId : ''
  const found = await findChangeable(on, { roomId, eventId: id, userId: caller.userId, emoji })
  if (!found) throw roomNotFound()
  const { room, standing, erased, message } = found
  if (erased) throw accountDeleted()
  assertMayRead(ctx.policy(), caller, room, standing)
  if (!message) throw messageNotFound()
  return { room, standing, message }
}

/** `skipped`: places taken by earlier events of the change. */
export const toChangeHeader = (room: RoomLog, caller: Subject, at: Date, skipped = 0): ChangeHeader => ({
  room,
  place: room.roomSeq + 1n + BigInt(skipped),
  actorId: caller.userId,
  at,
})
