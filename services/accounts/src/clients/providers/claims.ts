import { ProviderFailed } from './failures.ts'

const maxSubjectLength = 255

/** A string in a provider's response; empty for any other value. */
export const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Whether a boolean claim is true; some providers send booleans as strings. */
export const isTrueClaim = (value: unknown): boolean => value === true || value === 'true'

/** The id of a user at a provider. Throws {@link ProviderFailed} if it is missing or invalid. */
export function toSubject(id: unknown): string {
  const subject = typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? String(id) : textOrEmpty(id)
  if (subject === '' || subject.length > maxSubjectLength || subject.includes('\0')) {
    throw new ProviderFailed('the provider sent no valid user id')
  }
  return subject
}

/** A provider's response as an object. Throws {@link ProviderFailed} if it is not a JSON object. */
export function toJsonObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ProviderFailed('the provider sent something other than a JSON object')
  }
  return { ...value }
}
