import type { EventRow } from './event-row.ts'

export const pageBytes = 256 * 1024

/** Approximate sizes in a response, in bytes: an attachment with its URLs, a tally with its named users. */
export const [attachmentBytes, tallyBytes] = [1_000, 200]

export const withSize = (row: Omit<EventRow, 'bytes'>): EventRow => ({ ...row, bytes: bytesShown(row) })

const bytesShown = ({ body, linkPreview, attachments, reactions }: Omit<EventRow, 'bytes'>): number =>
  Buffer.byteLength(body ?? '') +
  (linkPreview?.length ?? 0) +
  (attachments?.length ?? 0) * attachmentBytes +
  (reactions?.length ?? 0) * tallyBytes

export function countFitting(limit: number, sizes: readonly number[]): number {
  let left = pageBytes
  const tooMuch = sizes.findIndex((bytes, index) => {
    left -= bytes
    return index >= limit || (left < 0 && index > 0)
  })
  return tooMuch < 0 ? sizes.length : tooMuch
}
