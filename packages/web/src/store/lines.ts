import type { RoomTimelineEvent } from '@parley/client/contract'
import { messageOf, type TimelineWindow } from './timeline-window.ts'
import type { Unsent } from './unsent.ts'

/** `key` is stable for the same content. */
export type Line =
  | { kind: 'day'; key: string; at: Date }
  | { kind: 'new'; key: string }
  | { kind: 'replies'; key: string; count: number }
  | { kind: 'row'; key: string; row: RoomTimelineEvent; continues: boolean }
  | { kind: 'unsent'; key: string; unsent: Unsent; continues: boolean }

export const isMessageLine = (line: Line): boolean =>
  line.kind === 'unsent' || (line.kind === 'row' && messageOf(line.row) !== undefined)

/** A message has no heading of its own if the same person wrote the previous one less than this time before. */
const togetherMs = 5 * 60_000

export const dateOf = (at: RoomTimelineEvent['createdAt']): Date =>
  new Date(Number(at?.seconds ?? 0n) * 1000 + (at?.nanos ?? 0) / 1e6)

export const timeOf = ({ createdAt }: Pick<RoomTimelineEvent, 'createdAt'>): Date => dateOf(createdAt)

/** These events are shown only in channels. */
const channelEvents = new Set(['roomCreated', 'userJoinedRoom', 'userLeftRoom'])

const rowLines = new WeakMap<RoomTimelineEvent, Line & { kind: 'row' }>()

/** Returns the same object until the line changes, so that the line is not rendered again. */
function lineOf(row: RoomTimelineEvent, continues: boolean): Line {
  const known = rowLines.get(row)
  if (known?.continues === continues) return known
  const line = { kind: 'row', key: row.id, row, continues } as const
  rowLines.set(row, line)
  return line
}

/** Start and end of the day that contains a time, in this device's time zone, in milliseconds. */
function dayOf(at: Date): { begins: number; ends: number } {
  const [year, month, date] = [at.getFullYear(), at.getMonth(), at.getDate()]
  return { begins: new Date(year, month, date).getTime(), ends: new Date(year, month, date + 1).getTime() }
}

type Reader = { readUntil: number | undefined; userId: string; rootId?: string; isDirect?: boolean }

/**
 * Rows, day separators, the separator "New messages" before the first message of somebody else after `readUntil` (in
 * milliseconds), the number of replies below the root of a thread, and unsent messages at the end. A direct message
 * (`isDirect`) has no lines about its creation and its members.
 */
export function linesOf(
  window: TimelineWindow,
  unsent: readonly Unsent[],
  { readUntil, userId, rootId = '', isDirect = false }: Reader,
): Line[] {
  const lines: Line[] = []
  let before: { at: number; userId: string } | undefined
  let day = { begins: Infinity, ends: -Infinity }
  let isNewMarked = readUntil === undefined
  const continuesAt = (at: Date, author: string): boolean => {
    const isNewDay = at.getTime() < day.begins || at.getTime() >= day.ends
    if (isNewDay) {
      day = dayOf(at)
      lines.push({ kind: 'day', key: `day ${at.toDateString()}`, at })
    }
    const continues = !isNewDay && before?.userId === author && at.getTime() - before.at < togetherMs
    before = { at: at.getTime(), userId: author }
    return continues
  }
  for (const row of window.rows) {
    if (isDirect && channelEvents.has(row.event.case ?? '')) continue
    const at = timeOf(row)
    const message = messageOf(row)
    const isMessage = message !== undefined
    let continues = continuesAt(at, isMessage ? row.actorId : '')
    if (!isNewMarked && isMessage && row.actorId !== userId && at.getTime() > (readUntil ?? 0)) {
      lines.push({ kind: 'new', key: 'new' })
      isNewMarked = true
      continues = false
    }
    // A reply shows a quote, above which the author's name is needed.
    if (message?.inReplyTo) continues = false
    lines.push(lineOf(row, continues && isMessage))
    if (row.id === rootId) {
      lines.push({ kind: 'replies', key: 'replies', count: message?.thread?.replyCount ?? 0 })
      before = before && { ...before, userId: '' }
    }
  }
  if (window.hasNewer) return lines
  const posted = new Set(window.rows.map(({ id }) => id))
  for (const one of unsent) {
    // A message's row may be loaded before the response to posting it arrives.
    if (one.messageId !== undefined && posted.has(one.messageId)) continue
    const continues = continuesAt(new Date(one.writtenAt), one.userId) && one.inReplyTo === ''
    lines.push({ kind: 'unsent', key: one.messageId ?? one.key, unsent: one, continues })
  }
  return lines
}
