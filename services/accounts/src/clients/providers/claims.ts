import { ProviderFailed } from './failures.ts'

const maxSubjectLength = 255

export const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Some providers send booleans as strings. */
export const isTrueClaim = (value: unknown): boolean => value === true || value === 'true'

export function toSubject(id: unknown): string {
  const subject = typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? String(id) : textOrEmpty(id)
  if (subject === '' || subject.length > maxSubjectLength || subject.includes('\0')) {
    throw new ProviderFailed('the provider sent no valid user id')
  }
  return subject
}

export function toJsonObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ProviderFailed('the provider sent something other than a JSON object')
  }
  return { ...value }
}
