import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { timestampMs } from '@bufbuild/protobuf/wkt'
import { invalidStatus } from '../errors.ts'

/** Lengths in code points. */
const maxEmojiLength = 16
const maxTextLength = 100
/** Start of the year 10000, which our date formats cannot express. */
const endOfTimeMs = 253_402_300_800_000

const oneEmoji = new RegExp('^\\p{RGI_Emoji}$', 'v')
const visible = /[^\s\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u
const forbidden = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\u2028\u2029]/u

export type CustomStatus = { emoji: string; text: string; expiresAt: Date | null }

export function customStatusFrom(
  given: { emoji: string; text: string; expiresAt?: Timestamp | undefined },
  now: Date,
): CustomStatus {
  const { emoji, expiresAt } = given
  const text = given.text.trim()
  if ([...emoji].length > maxEmojiLength || !oneEmoji.test(emoji)) throw invalidStatus('it must have exactly one emoji')
  if (!visible.test(text)) throw invalidStatus('its text is empty')
  if ([...text].length > maxTextLength) throw invalidStatus(`its text may have at most ${maxTextLength} characters`)
  if (forbidden.test(text)) throw invalidStatus('its text must not contain control characters')
  return { emoji, text, expiresAt: expiresAt ? endFrom(expiresAt, now) : null }
}

function endFrom(expiresAt: Timestamp, now: Date): Date {
  const ms = timestampMs(expiresAt)
  if (!(ms > now.getTime() && ms < endOfTimeMs)) throw invalidStatus('it must end in the future, before the year 10000')
  return new Date(ms)
}
