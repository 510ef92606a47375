import { bodyEmpty, bodyHasNul, bodyTooLong } from '../errors.ts'

const maxBodyBytes = 10_000

/** A visible character: no white space, control, format or filler. U+2800 is a Braille cell without dots. */
const visible = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Whether a text contains visible characters. */
export const isVisible = (body: string): boolean => visible.test(body)

/**
 * Returns the body. Throws `invalid_argument` if it is too long, contains U+0000 or, without attachments, has nothing
 * visible.
 */
export function checkBody(body: string, hasAttachments: boolean): string {
  if (Buffer.byteLength(body) > maxBodyBytes) throw bodyTooLong(maxBodyBytes)
  // PostgreSQL cannot store U+0000 in text.
  if (body.includes('\0')) throw bodyHasNul()
  if (!hasAttachments && !isVisible(body)) throw bodyEmpty()
  return body
}
