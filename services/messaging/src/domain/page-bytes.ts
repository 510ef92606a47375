import type { EventRow } from './event-row.ts'

/** What a page shows at most, in bytes; one row it shows whatever its size. */
export const pageBytes = 256 * 1024

/** What an attachment with its addresses, and a reaction with those it names, take in an answer, in bytes. */
export const [attachmentBytes, reactionBytes] = [1_000, 200]

/** A row with the bytes it takes of a page: its text, and what it shows besides. */
export const sized = (row: Omit<EventRow, 'bytes'>): EventRow => ({ ...row, bytes: bytesShown(row) })

const bytesShown = ({ body, linkPreview, attachments, reactions }: Omit<EventRow, 'bytes'>): number =>
  Buffer.byteLength(body ?? '') +
  (linkPreview?.length ?? 0) +
  (attachments?.length ?? 0) * attachmentBytes +
  (reactions?.length ?? 0) * reactionBytes

/** How many rows, of these sizes in bytes, from the first on make a page of up to `limit`. */
export function countFitting(limit: number, sizes: readonly number[]): number {
  let left = pageBytes
  const tooMuch = sizes.findIndex((bytes, index) => {
    left -= bytes
    return index >= limit || (left < 0 && index > 0)
  })
  return tooMuch < 0 ? sizes.length : tooMuch
}
