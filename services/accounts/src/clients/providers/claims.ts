import { ProviderFailed } from './failures.ts'

const maxSubject = 255

/** A text from a provider's response; empty if the value is not a text. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Whether a boolean claim is true; some providers send it as text. */
export const claimed = (value: unknown): boolean => value === true || value === 'true'

/** The id of a user at a provider. Throws {@link ProviderFailed} when it is missing or too long. */
export function subjectOf(id: unknown): string {
  const subject = typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? String(id) : text(id)
  if (subject === '' || subject.length > maxSubject || subject.includes('\0')) {
    throw new ProviderFailed('the provider did not say who signed in')
  }
  return subject
}

/** The members of a JSON object. Throws {@link ProviderFailed} for anything else. */
export function membersOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ProviderFailed('the provider sent no JSON object')
  }
  return { ...value }
}
