import type { EventRow } from './event-row.ts'

/** Maximum size of a page, in bytes; a single row is shown whatever its size. */
export const pageBytes = 256 * 1024

/** Size of an attachment with its addresses, and of a reaction with its named users, in a response, in bytes. */
export const [attachmentBytes, reactionBytes] = [1_000, 200]

/** A row with its size in a page: its text and everything else shown with it. */
export const sized = (row: Omit<EventRow, 'bytes'>): EventRow => ({ ...row, bytes: bytesShown(row) })

const bytesShown = ({ body, linkPreview, attachments, reactions }: Omit<EventRow, 'bytes'>): number =>
  Buffer.byteLength(body ?? '') +
  (linkPreview?.length ?? 0) +
  (attachments?.length ?? 0) * attachmentBytes +
  (reactions?.length ?? 0) * reactionBytes

/** How many of the first rows, given their sizes in bytes, form a page of up to `limit`. */
export function countFitting(limit: number, sizes: readonly number[]): number {
  let left = pageBytes
  const tooMuch = sizes.findIndex((bytes, index) => {
    left -= bytes
    return index >= limit || (left < 0 && index > 0)
  })
  return tooMuch < 0 ? sizes.length : tooMuch
}
