import type { ImportMessagesRequest } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { roomHasOtherMessages, roomNotFound } from '../../errors.ts'
import { isDm } from '../../domain/room-header.ts'
import {
  findErasedAmong,
  findImported,
  findImports,
  findLogSummary,
  findLivePlaces,
  type ImportState,
} from '../../store/imports.ts'
import { writeImport } from '../../store/write-import.ts'
import type { LockedLog } from '../../store/locked-log.ts'
import { findHeader } from '../../store/rooms.ts'
import type { Connection } from '../../store/statement.ts'
import { checkImportedMessage, type CheckedMessage } from '../../domain/check-imported-message.ts'
import { toImportedEvents } from './imported-event.ts'
import { planImport, type ImportPlan } from '../../domain/plan-import.ts'

/** Imports the messages in one transaction. Messages imported before stay as they are. */
export async function importIntoRoom(
  ctx: Context,
  request: ImportMessagesRequest,
  signal: AbortSignal,
): Promise<ImportPlan> {
  const { roomId, source } = request
  const room = await findHeader(ctx.pool, roomId)
  if (!room) throw roomNotFound()
  const now = ctx.now()
  const messages = request.messages.map((message) => checkImportedMessage(message, { dm: isDm(room), now }))
  let plan: ImportPlan | undefined
  const change = async (log: LockedLog) => {
    await log.flush()
    const { on } = log
    const [state] = await findImports(on, [roomId])
    plan = await readAndPlan(on, { roomId, source, state }, messages, now)
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

async function readAndPlan(
  on: Connection,
  { roomId, source, state }: { roomId: string; source: string; state: ImportState | undefined },
  messages: readonly CheckedMessage[],
  now: Date,
): Promise<ImportPlan> {
  const target = await findLogSummary(on, roomId)
  if (!target) throw roomNotFound()
  if (state ? state.source !== source : target.everPosted) throw roomHasOtherMessages()
  const references = messages.flatMap((message) => [
    message.externalId,
    message.threadRootExternalId,
    message.inReplyToExternalId,
  ])
  const known = await findImported(
    on,
    roomId,
    [...new Set(references)].filter((id) => id !== ''),
  )
  const people = messages.flatMap(({ authorId, reactions }) => [
    authorId,
    ...reactions.flatMap(({ userIds }) => userIds),
  ])
  const erased = await findErasedAmong(on, [...new Set(people)])
  return planImport(messages, { roomSeq: target.roomSeq, known, erased, now })
}

function attachmentsOf({ events, attachments }: ImportPlan) {
  const eventIds = new Map(events.map(({ seq, eventId }) => [seq, eventId]))
  return attachments.flatMap(({ seq, attachments }) =>
    attachments.map(({ assetId }) => ({ assetId, messageEventId: eventIds.get(seq) ?? '' })),
  )
}
