import { timestampDate } from '@bufbuild/protobuf/wkt'
import { ConnectError } from '@connectrpc/connect'
import type { RoomFact } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { foldFacts, usersToBan, type Step } from '../../domain/fold-facts.ts'
import type { LogState } from '../../domain/room-header.ts'
import { lockLogState, insertLog, findMembersAmong, storeFacts } from '../../store/facts.ts'
import type { LockedLog } from '../../store/locked-log.ts'
import { toFactEvent } from '../../view/fact-event.ts'
import type { FactsOutcome } from './room-command.ts'

type FactBatch = { readonly facts: readonly RoomFact[]; readonly traceparent?: string }

type Fold = { kind: 'folded'; steps: Step[] } | { kind: 'refused'; error: ConnectError }

export async function applyFacts(
  ctx: Pick<Context, 'now'>,
  log: LockedLog,
  batches: readonly FactBatch[],
): Promise<FactsOutcome[]> {
  const { on, roomId } = log
  const found = await lockLogState(on, roomId)
  const createsRoom = batches.some(({ facts }) => canCreateRoom(roomId, facts))
  const held = !found.room && createsRoom ? await insertLog(on, roomId) : found
  const { room, folded } = await foldAll(log, held.room, batches)
  const now = ctx.now()
  const timed = folded.flatMap((fold, n) =>
    (fold.kind === 'folded' ? fold.steps : []).map((step) => {
      const at = step.fact.occurredAt ? timestampDate(step.fact.occurredAt) : now
      return { step, at, event: { ...toFactEvent(step, at), traceparent: batches[n]?.traceparent ?? '' } }
    }),
  )
  const entries = await storeFacts(on, roomId, timed)
  log.addEntries(entries)
  const lastEntry = entries.at(-1) ?? held.lastEntry
  return folded.map((fold) =>
    fold.kind === 'refused' ? fold : { kind: 'stored', applied: fold.steps.length, room, lastEntry },
  )
}

async function foldAll(
  { on, roomId }: LockedLog,
  held: LogState | undefined,
  batches: readonly FactBatch[],
): Promise<{ room: LogState | undefined; folded: Fold[] }> {
  const members = await findMembersAmong(
    on,
    roomId,
    batches.flatMap(({ facts }) => usersToBan(facts)),
  )
  let room = held
  const folded = batches.map(({ facts }): Fold => {
    const fold = tryFold(() => foldFacts(room, roomId, facts, (userId) => members.has(userId)))
    if (fold.kind === 'refused') return fold
    for (const { userId, member } of fold.steps.flatMap((step) => step.members)) {
      if (member) members.add(userId)
      else members.delete(userId)
    }
    room = fold.steps.at(-1)?.room ?? room
    return fold
  })
  return { room, folded }
}

const canCreateRoom = (roomId: string, facts: readonly RoomFact[]): boolean =>
  facts[0]?.version === 1n && tryFold(() => foldFacts(undefined, roomId, facts, () => false)).kind === 'folded'

function tryFold(fold: () => Step[]): Fold {
  try {
    return { kind: 'folded', steps: fold() }
  } catch (error) {
    if (error instanceof ConnectError) return { kind: 'refused', error }
    throw error
  }
}
