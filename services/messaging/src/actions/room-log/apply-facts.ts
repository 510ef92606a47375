import { timestampDate } from '@bufbuild/protobuf/wkt'
import { ConnectError } from '@connectrpc/connect'
import type { RoomFact } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { foldFacts, usersBanned, type Step } from '../../domain/fold-facts.ts'
import type { FactLine } from '../../domain/room-line.ts'
import { lockFactLine, makeLine, membersAmong, storeFacts } from '../../store/fact-lines.ts'
import type { HeldLog } from '../../store/held-log.ts'
import { toFactEvent } from '../../view/fact-event.ts'
import type { FactsOutcome } from './room-command.ts'

/** Facts, and the trace of the call that offers them. */
type Offer = { readonly facts: readonly RoomFact[]; readonly traceparent?: string }

type Fold = { kind: 'folded'; steps: Step[] } | { kind: 'refused'; error: ConnectError }

/** Applies the new facts of each offer to the log: place, timeline rows, copies and events. */
export async function applyFacts(
  ctx: Pick<Context, 'now'>,
  log: HeldLog,
  offers: readonly Offer[],
): Promise<FactsOutcome[]> {
  const { on, roomId } = log
  const found = await lockFactLine(on, roomId)
  const isMade = offers.some(({ facts }) => facts[0]?.version === 1n && folds(roomId, facts))
  const held = !found.room && isMade ? await makeLine(on, roomId) : found
  const { room, folded } = await foldAll(log, held.room, offers)
  const now = ctx.now()
  const timed = folded.flatMap((fold, n) =>
    (fold.kind === 'folded' ? fold.steps : []).map((step) => {
      const at = step.fact.occurredAt ? timestampDate(step.fact.occurredAt) : now
      return { step, at, event: { ...toFactEvent(step, at), traceparent: offers[n]?.traceparent ?? '' } }
    }),
  )
  const entries = await storeFacts(on, roomId, timed)
  log.noteEntries(entries)
  const lastEntry = entries.at(-1) ?? held.lastEntry
  return folded.map((fold) =>
    fold.kind === 'refused' ? fold : { kind: 'held', applied: fold.steps.length, room, lastEntry },
  )
}

/** Applies the offers one after another. */
async function foldAll(
  { on, roomId }: HeldLog,
  held: FactLine | undefined,
  offers: readonly Offer[],
): Promise<{ room: FactLine | undefined; folded: Fold[] }> {
  const members = await membersAmong(
    on,
    roomId,
    offers.flatMap(({ facts }) => usersBanned(facts)),
  )
  let room = held
  const folded = offers.map(({ facts }): Fold => {
    const fold = attempt(() => foldFacts(room, roomId, facts, (userId) => members.has(userId)))
    if (fold.kind === 'refused') return fold
    for (const { userId, member } of fold.steps.flatMap((step) => step.members)) {
      if (member) members.add(userId)
      else members.delete(userId)
    }
    room = fold.steps.at(-1)?.line ?? room
    return fold
  })
  return { room, folded }
}

/** Whether the facts are consistent for a room. */
const folds = (roomId: string, facts: readonly RoomFact[]): boolean =>
  attempt(() => foldFacts(undefined, roomId, facts, () => false)).kind === 'folded'

function attempt(fold: () => Step[]): Fold {
  try {
    return { kind: 'folded', steps: fold() }
  } catch (error) {
    if (error instanceof ConnectError) return { kind: 'refused', error }
    throw error
  }
}
