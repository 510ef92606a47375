import type { Message, RoomTimelineEvent, RoomTimelinePage } from '@parley/client/contract'

/** A stretch of a timeline without holes, oldest row first. */
export type TimelineWindow = {
  rows: readonly RoomTimelineEvent[]
  startCursor: string
  endCursor: string
  hasOlder: boolean
  hasNewer: boolean
}

/** The window that a first page opens. */
export function windowOf({ events, startCursor, endCursor, hasOlder, hasNewer }: RoomTimelinePage): TimelineWindow {
  return { rows: events, startCursor, endCursor, hasOlder, hasNewer }
}

/** With the rows that were read behind its end. */
export function withNewer(window: TimelineWindow, page: RoomTimelinePage): TimelineWindow {
  const { rows, hasOlder, startCursor } = window
  const added = strangersTo(rows, page.events)
  const { endCursor, hasNewer } = page
  if (added.length === 0 && endCursor === window.endCursor && hasNewer === window.hasNewer) return window
  return { rows: [...rows, ...added], startCursor, endCursor, hasOlder, hasNewer }
}

/** With the rows that were read before its start. */
export function withOlder(window: TimelineWindow, page: RoomTimelinePage): TimelineWindow {
  const { rows, hasNewer, endCursor } = window
  const { startCursor, hasOlder } = page
  return { rows: [...strangersTo(rows, page.events), ...rows], startCursor, endCursor, hasOlder, hasNewer }
}

/** With messages as they are now. */
export function withMessages(window: TimelineWindow, messages: readonly Message[]): TimelineWindow {
  const current = new Map(messages.map((message) => [message.id, message]))
  let changed = false
  const rows = window.rows.map((row) => {
    const message = current.get(row.id)
    if (message === undefined || row.event.case !== 'messagePosted') return row
    changed = true
    return withMessage(row, message)
  })
  return changed ? { ...window, rows } : window
}

/**
 * After a retraction: the named row and its echoes become placeholders, and an echo that was named itself goes without a
 * trace.
 */
export function withRetracted(window: TimelineWindow, id: string, at: Message['deletedAt']): TimelineWindow {
  if (!window.rows.some((row) => isAbout(row, id))) return window
  const rows = window.rows.flatMap((row) => {
    const message = messageOf(row)
    if (message === undefined || !isAbout(row, id)) return [row]
    if (row.id === id && message.echoOfEventId !== '') return []
    const { body: _, linkPreview: __, ...rest } = message
    const emptied: Message = { ...rest, attachments: [], reactions: [] }
    if (at !== undefined) emptied.deletedAt = at
    return [withMessage(row, emptied)]
  })
  return { ...window, rows }
}

/** Ids of the rows that show a message: its own and those of its echoes. */
export function rowsAbout({ rows }: TimelineWindow, id: string): string[] {
  return rows.filter((row) => isAbout(row, id)).map((row) => row.id)
}

/** The message of a row; undefined for what happened to the room or its members. */
export function messageOf({ event }: RoomTimelineEvent): Message | undefined {
  return event.case === 'messagePosted' ? event.value.message : undefined
}

const isAbout = (row: RoomTimelineEvent, id: string): boolean =>
  row.event.case === 'messagePosted' && (row.id === id || row.event.value.message?.echoOfEventId === id)

function withMessage(row: RoomTimelineEvent, message: Message): RoomTimelineEvent {
  if (row.event.case !== 'messagePosted') return row
  return { ...row, event: { case: 'messagePosted', value: { ...row.event.value, message } } }
}

function strangersTo(rows: readonly RoomTimelineEvent[], events: readonly RoomTimelineEvent[]): RoomTimelineEvent[] {
  const known = new Set(rows.map(({ id }) => id))
  return events.filter(({ id }) => !known.has(id))
}
