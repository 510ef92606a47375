import type { ImportMessagesRequest } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { importElsewhere, roomNotFound } from '../../errors.ts'
import { isDm } from '../../domain/room-line.ts'
import {
  erasedAmong,
  findImported,
  findImports,
  findLine,
  findLivePlaces,
  type ImportState,
} from '../../store/imports.ts'
import { writeImport } from '../../store/write-import.ts'
import type { HeldLog } from '../../store/held-log.ts'
import { findHeader } from '../../store/lines.ts'
import type { Connection } from '../../store/statement.ts'
import { checkMessage, type CheckedMessage } from '../../domain/check-message.ts'
import { toImportedEvents } from './imported-event.ts'
import { planImport, type ImportPlan } from '../../domain/plan-import.ts'

/** Writes imported messages into a room, under its lock and in one transaction; existing ones stay as they are. */
export async function importTogether(
  ctx: Context,
  request: ImportMessagesRequest,
  signal: AbortSignal,
): Promise<ImportPlan> {
  const { roomId, source } = request
  const room = await findHeader(ctx.pool, roomId)
  if (!room) throw roomNotFound()
  const now = ctx.now()
  const messages = request.messages.map((message) => checkMessage(message, { dm: isDm(room), now }))
  let plan: ImportPlan | undefined
  const change = async (log: HeldLog) => {
    // The import assigns the places in the log itself.
    await log.flush()
    const { on } = log
    const [state] = await findImports(on, [roomId])
    plan = await lookAndPlan(on, { roomId, source, state }, messages, now)
    if (plan.ids.length === 0) return []
    const live = state && (await findLivePlaces(on, state))
    await writeImport(on, { roomId, source, live }, plan)
    const imported = { messages: plan.ids.length, attachments: attachmentsOf(plan) }
    return toImportedEvents(room, plan.roomSeq + 1n, imported, now)
  }
  const outcome = await ctx.writer.submit(roomId, { kind: 'change', change, signal })
  if (outcome.kind === 'refused') throw outcome.error
  if (!plan) throw new Error('the import has no plan')
  return plan
}

async function lookAndPlan(
  on: Connection,
  { roomId, source, state }: { roomId: string; source: string; state: ImportState | undefined },
  messages: readonly CheckedMessage[],
  now: Date,
): Promise<ImportPlan> {
  const line = await findLine(on, roomId)
  if (!line) throw roomNotFound()
  if (state ? state.source !== source : line.used) throw importElsewhere()
  const references = messages.flatMap(({ externalId, threadRoot, inReplyTo }) => [externalId, threadRoot, inReplyTo])
  const known = await findImported(
    on,
    roomId,
    [...new Set(references)].filter((id) => id !== ''),
  )
  const people = messages.flatMap(({ authorId, reactions }) => [
    authorId,
    ...reactions.flatMap(({ userIds }) => userIds),
  ])
  const erased = await erasedAmong(on, [...new Set(people)])
  return planImport(messages, { roomSeq: line.roomSeq, known, erased, now })
}

function attachmentsOf({ events, attachments }: ImportPlan) {
  const eventIds = new Map(events.map(({ seq, eventId }) => [seq, eventId]))
  return attachments.flatMap(({ seq, attachments }) =>
    attachments.map(({ assetId }) => ({ assetId, messageEventId: eventIds.get(seq) ?? '' })),
  )
}
