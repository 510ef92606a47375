import type { Message, MessageReaction, RoomTimelineEvent, RoomTimelinePage } from '@parley/client/contract'

type Page = { rows: readonly RoomTimelineEvent[]; startCursor: string; endCursor: string }

/** A contiguous part of a timeline, oldest row first. */
export type TimelineWindow = {
  pages: readonly Page[]
  rows: readonly RoomTimelineEvent[]
  hasOlder: boolean
  hasNewer: boolean
}

/** From this number of rows on, adding a page drops pages at the other end, as long as this many rows remain. */
const fullSize = 500
/** New rows are added to the last page until it has this many. */
const pageRows = 50

export function windowOf({ events, startCursor, endCursor, hasOlder, hasNewer }: RoomTimelinePage): TimelineWindow {
  return { pages: [{ rows: events, startCursor, endCursor }], rows: events, hasOlder, hasNewer }
}

export const isFull = ({ rows }: TimelineWindow): boolean => rows.length >= fullSize

export const startCursorOf = ({ pages }: TimelineWindow): string => pages[0]?.startCursor ?? ''

export const endCursorOf = ({ pages }: TimelineWindow): string => pages.at(-1)?.endCursor ?? ''

export function withNewer(window: TimelineWindow, page: RoomTimelinePage): TimelineWindow {
  const rows = withoutKnownRows(window.rows, page.events)
  const { endCursor, hasNewer } = page
  const last = window.pages.at(-1)
  if (rows.length === 0 && endCursor === last?.endCursor && hasNewer === window.hasNewer) return window
  const joined = last && last.rows.length + rows.length <= pageRows
  const pages = joined
    ? [...window.pages.slice(0, -1), { ...last, rows: [...last.rows, ...rows], endCursor }]
    : [...window.pages, { rows, startCursor: page.startCursor, endCursor }]
  const remaining = pages.slice(surplus(pages.map((one) => one.rows.length)))
  return { ...fromPages(remaining), hasOlder: window.hasOlder || remaining.length < pages.length, hasNewer }
}

export function withOlder(window: TimelineWindow, page: RoomTimelinePage): TimelineWindow {
  const { startCursor, endCursor, hasOlder } = page
  const pages = [{ rows: withoutKnownRows(window.rows, page.events), startCursor, endCursor }, ...window.pages]
  const remaining = pages.slice(0, pages.length - surplus(pages.map((one) => one.rows.length).reverse()))
  return { ...fromPages(remaining), hasOlder, hasNewer: window.hasNewer || remaining.length < pages.length }
}

/** Number of pages at the start that can be dropped while enough rows remain. */
function surplus(sizes: readonly number[]): number {
  let left = sizes.reduce((sum, size) => sum + size, 0)
  let pages = 0
  for (const size of sizes) {
    left -= size
    if (left < fullSize) return pages
    pages++
  }
  return pages
}

const fromPages = (pages: readonly Page[]) => ({ pages, rows: pages.flatMap(({ rows }) => rows) })

/** Changes every row; drops a row for which `change` returns undefined. */
function withRows(
  { pages, hasOlder, hasNewer }: TimelineWindow,
  change: (row: RoomTimelineEvent) => RoomTimelineEvent | undefined,
): TimelineWindow {
  const changed = pages.map((page) => ({ ...page, rows: page.rows.flatMap((row) => change(row) ?? []) }))
  return { ...fromPages(changed), hasOlder, hasNewer }
}

export function withMessages(window: TimelineWindow, messages: readonly Message[]): TimelineWindow {
  const current = new Map(messages.map((message) => [message.id, message]))
  if (!window.rows.some((row) => current.has(row.id) && messageOf(row))) return window
  return withRows(window, (row) => {
    const message = current.get(row.id)
    return message === undefined ? row : withMessage(row, message)
  })
}

/** A retracted message and its echoes become placeholders. A retracted echo is removed. */
export function withRetracted(window: TimelineWindow, id: string, at: Message['deletedAt']): TimelineWindow {
  if (!window.rows.some((row) => isAbout(row, id))) return window
  return withRows(window, (row) => {
    const message = messageOf(row)
    if (message === undefined || !isAbout(row, id)) return row
    if (row.id === id && message.echoOfEventId !== '') return undefined
    return withMessage(row, placeholderOf(message, at))
  })
}

/**
 * Turns all messages of a deleted account into placeholders, and removes its reactions. Of each reaction, only the
 * first few people are known: if the account is not among them, it stays counted.
 */
export function withoutAuthor(window: TimelineWindow, userId: string, at: Message['deletedAt']): TimelineWindow {
  const isTheirs = ({ previewUserIds }: MessageReaction) => previewUserIds.includes(userId)
  const isAffected = (message: Message | undefined) =>
    message?.actorId === userId || message?.reactions.some(isTheirs) === true
  if (!window.rows.some((row) => isAffected(messageOf(row)))) return window
  return withRows(window, (row) => {
    const message = messageOf(row)
    if (message === undefined || !isAffected(message)) return row
    const reactions = message.reactions.flatMap((reaction) => {
      if (!isTheirs(reaction)) return [reaction]
      const previewUserIds = reaction.previewUserIds.filter((id) => id !== userId)
      return reaction.count > 1 ? [{ ...reaction, count: reaction.count - 1, previewUserIds }] : []
    })
    const left = { ...message, reactions }
    return withMessage(row, message.actorId === userId ? placeholderOf(left, at) : left)
  })
}

export function withoutAttachment(window: TimelineWindow, assetId: string): TimelineWindow {
  const isFile = ({ id }: { id: string }) => id === assetId
  const hasFile = (row: RoomTimelineEvent) => messageOf(row)?.attachments.some(isFile) ?? false
  if (!window.rows.some(hasFile)) return window
  return withRows(window, (row) => {
    const message = messageOf(row)
    if (message === undefined || !hasFile(row)) return row
    return withMessage(row, { ...message, attachments: message.attachments.filter((one) => !isFile(one)) })
  })
}

function placeholderOf(message: Message, at: Message['deletedAt']): Message {
  const { body: _, linkPreview: __, ...rest } = message
  return { ...rest, attachments: [], reactions: [], ...(at && { deletedAt: at }) }
}

/** Ids of the rows that show a message: its own row and its echoes. */
export function rowsAbout({ rows }: TimelineWindow, id: string): string[] {
  return rows.filter((row) => isAbout(row, id)).map((row) => row.id)
}

/** Undefined for an event of the room. */
export function messageOf({ event }: RoomTimelineEvent): Message | undefined {
  return event.case === 'messagePosted' ? event.value.message : undefined
}

const isAbout = (row: RoomTimelineEvent, id: string): boolean =>
  row.event.case === 'messagePosted' && (row.id === id || row.event.value.message?.echoOfEventId === id)

function withMessage(row: RoomTimelineEvent, message: Message): RoomTimelineEvent {
  if (row.event.case !== 'messagePosted') return row
  return { ...row, event: { case: 'messagePosted', value: { ...row.event.value, message } } }
}

function withoutKnownRows(
  rows: readonly RoomTimelineEvent[],
  events: readonly RoomTimelineEvent[],
): RoomTimelineEvent[] {
  const known = new Set(rows.map(({ id }) => id))
  return events.filter(({ id }) => !known.has(id))
}
