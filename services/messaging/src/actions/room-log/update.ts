import type { Subject } from '@parley/permissions'
import { newId } from '@parley/ids'
import type { Context } from '../../context.ts'
import { checkBody } from '../../domain/body.ts'
import { isShown } from '../../domain/changeable.ts'
import type { EventRow } from '../../domain/event-row.ts'
import { echoWithoutThread, messageNotFound } from '../../errors.ts'
import { assertMayChangeEcho, assertMayEdit } from '../../policy/message-changes.ts'
import { addEcho } from '../../store/echoes.ts'
import { storeBody, storeBodyWithEvent } from '../../store/edits.ts'
import { nothingRemoved, toEditedEvent } from '../../view/change-events.ts'
import { toPostedEvent } from '../../view/posted-event.ts'
import { toChangeHeader, type Change, type FoundMessage } from './change.ts'
import { buildEchoRemoval } from './retract.ts'

/** A property that is undefined is not changed. */
export type Update = { eventId: string; body: string | undefined; withEcho: boolean | undefined }

/**
 * Undefined if there is nothing to change. The result of the write is the changed row of `eventId` if one statement was
 * enough, otherwise undefined.
 */
export function planUpdate(
  ctx: Context,
  caller: Subject,
  update: Update,
  found: FoundMessage,
): Change<EventRow | undefined> | undefined {
  const { room, message } = found
  if (!isShown(message)) throw messageNotFound()
  const who = { policy: ctx.policy(), caller, room }
  const now = ctx.now()
  assertMayEdit(who, message, { now, windowMs: ctx.editWindowMs })
  const body = findNewBody(update, found)
  const echo = findEchoChange(update, found)
  if (echo) assertMayChangeEcho(who, message, echo)

  const steps: Change[] = []
  if (body !== undefined) steps.push(buildEdit(found, caller, now, body, echo !== 'remove'))
  if (echo === 'add') steps.push(buildEchoAddition(found, caller, now, steps.length))
  if (echo === 'remove' && message.echo) steps.push(buildEchoRemoval(found, message.echo, caller, now, steps.length))
  if (steps.length === 0) return undefined
  return {
    async write(on) {
      for (const step of steps) await step.write(on)
      return undefined
    },
    events: steps.flatMap(({ events }) => events),
    ...(body !== undefined && !echo && { writeInOneStatement: editInOneStatement(found, now, body, update.eventId) }),
  }
}

function editInOneStatement({ message: { seq } }: FoundMessage, at: Date, text: string, shownEventId: string) {
  return async (...[on, decided]: Parameters<NonNullable<Change['writeInOneStatement']>>) => {
    const written = await storeBodyWithEvent(on, decided, { seq, text, at, shown: shownEventId })
    return written && { entries: written.entries, result: written.row }
  }
}

function findNewBody(update: Update, { message }: FoundMessage): string | undefined {
  if (update.body === undefined) return undefined
  const body = checkBody(update.body, message.attachmentIds.length > 0)
  return body === message.body ? undefined : body
}

function findEchoChange({ withEcho }: Update, { message }: FoundMessage): 'add' | 'remove' | undefined {
  if (withEcho === true && message.threadRootEventId === null) throw echoWithoutThread()
  if (withEcho === undefined || withEcho === (message.echo !== undefined)) return undefined
  return withEcho ? 'add' : 'remove'
}

function buildEdit(
  { room, message }: FoundMessage,
  caller: Subject,
  now: Date,
  body: string,
  echoStays: boolean,
): Change {
  const { seq, eventId, threadRootEventId, echo } = message
  const echoEventId = echoStays ? echo?.eventId : undefined
  const edited = { eventId, threadRootEventId: threadRootEventId ?? '', echoEventId }
  return {
    write: (on) => storeBody(on, { roomId: room.roomId, seq }, body, now),
    events: [toEditedEvent(toChangeHeader(room, caller, now), edited, nothingRemoved)],
  }
}

function buildEchoAddition({ room, message }: FoundMessage, caller: Subject, now: Date, skipped: number): Change {
  const { place } = toChangeHeader(room, caller, now, skipped)
  const { eventId: echoOfEventId, seq, threadRootEventId } = message
  const eventId = newId('event')
  const reply = { seq, eventId: echoOfEventId, threadRootEventId: threadRootEventId ?? '' }
  const echo = { roomId: room.roomId, seq: place, eventId, authorId: caller.userId, createdAt: now, reply }
  const posted = {
    eventId,
    actorId: caller.userId,
    createdAt: now,
    inReplyTo: '',
    threadRootEventId: '',
    echoOfEventId,
  }
  return {
    write: (on) => addEcho(on, echo),
    events: [toPostedEvent(room, posted, { markedAsRead: true, place })],
  }
}
