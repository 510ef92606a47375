import type { TextKey } from '../messages/texts.ts'

/** Undefined if the value is valid. */
export type FieldRule = (value: string) => TextKey | undefined

export const required: FieldRule = (value) => (value.trim() === '' ? 'required' : undefined)

/** Like `required`, but accepts spaces: they may be a password. */
export const passwordRequired: FieldRule = (value) => (value === '' ? 'required' : undefined)

/** Creates a rule: the trimmed value must not be empty and must match `pattern`. */
const matching =
  (pattern: RegExp, key: TextKey): FieldRule =>
  (value) =>
    required(value) ?? (pattern.test(value.trim()) ? undefined : key)

export const loginRule = matching(/^(?!(?:all|here)$)[a-z\d][\w.-]{0,30}[\w-]$/i, 'refused.badLogin')

export const roomNameRule = matching(/^[\w-]{1,30}$/, 'refused.badRoomName')

const emailPattern = /^[^\s\p{C}@<>(),;:"[\]\\]+@[^\s\p{C}@<>(),;:"[\]\\]+\.[^\s\p{C}@<>(),;:"[\]\\.]{2,}$/u

export const emailRule: FieldRule = (value) =>
  matching(emailPattern, 'refused.badEmail')(value) ?? (value.trim().length > 254 ? 'refused.badEmail' : undefined)

const displayNamePattern = /^[\p{L}\p{Nd}](?!.* {2})[\p{L}\p{M}\p{Nd}\p{S} '’\-._]{0,31}$/u

/** A display name, which may be empty. */
export const displayNameRule: FieldRule = (value) =>
  value.trim() === '' ? undefined : matching(displayNamePattern, 'refused.badDisplayName')(value)

export const newPasswordRule: FieldRule = (value) =>
  [...value].length < 8
    ? 'password.rule'
    : new TextEncoder().encode(value).length > 128
      ? 'password.tooLong'
      : undefined
