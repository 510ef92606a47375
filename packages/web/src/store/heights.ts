import type { Message } from '@parley/client/contract'
import type { Line } from './lines.ts'
import { messageOf } from './timeline-window.ts'

/** Heights in pixels at the default font size; they follow from the styles in `views/chat`. */
const px = {
  ...{ line: 22.5, around: 4, heading: 27, between: 34, event: 29, gap: 8 },
  ...{ quote: 21, file: 44, picture: 200, preview: 90, reactions: 34, thread: 21 },
}

/**
 * Estimates the heights of lines of a timeline, in pixels, and their mean. `columns`: letters in a row of text. If in
 * doubt, pass a number that is too high: if heights are underestimated, only more is rendered than needed.
 */
export function expectedHeights(lines: readonly Line[], columns: number): [number[], number] {
  const heights = lines.map((line) => expectedHeight(line, columns))
  return [heights, heights.reduce((sum, height) => sum + height, 0) / Math.max(heights.length, 1)]
}

function expectedHeight(line: Line, columns: number): number {
  if (line.kind === 'unsent') return headingHeight(line.continues) + textHeight(line.unsent.body, columns)
  if (line.kind !== 'row') return px.between
  const message = messageOf(line.row)
  return message ? headingHeight(line.continues) + contentHeight(message, columns) : px.event
}

const headingHeight = (continues: boolean): number => px.around + (continues ? 0 : px.heading)

function contentHeight(message: Message, columns: number): number {
  // Every message has a thread, most of them an empty one.
  const thread = (message.thread?.replyCount ?? 0) > 0 || message.echoOfEventId !== '' ? px.thread : 0
  if (message.deletedAt) return px.line + thread
  const files = message.attachments.map(({ height }) => (height > 0 ? Math.min(height, px.picture) : px.file))
  return (
    thread +
    (message.body ? textHeight(message.body, columns) : 0) +
    files.reduce((sum, file) => sum + file, 0) +
    (message.inReplyTo === '' ? 0 : px.quote) +
    (message.linkPreview ? px.preview : 0) +
    (message.reactions.length > 0 ? px.reactions : 0)
  )
}

function textHeight(body: string, columns: number): number {
  const lines = body.split('\n')
  return lines.reduce((sum, { length }) => sum + (length === 0 ? px.gap : Math.ceil(length / columns) * px.line), 0)
}
