import { bodyEmpty, bodyHasNul, bodyTooLong } from '../errors.ts'

const maxBodyBytes = 10_000

/** A character other than white space, control, format and filler. U+2800 is a Braille cell without dots. */
const visible = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u

export const isVisible = (body: string): boolean => visible.test(body)

/**
 * Throws `invalid_argument` if the body is too long, contains U+0000, which PostgreSQL cannot store, or shows nothing
 * and has no attachments.
 */
export function checkBody(body: string, hasAttachments: boolean): string {
  if (Buffer.byteLength(body) > maxBodyBytes) throw bodyTooLong(maxBodyBytes)
  if (body.includes('\0')) throw bodyHasNul()
  if (!hasAttachments && !isVisible(body)) throw bodyEmpty()
  return body
}
