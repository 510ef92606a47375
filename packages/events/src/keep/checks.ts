export class Refusal extends Error {}

type RawRequest = Record<string, unknown>

export function text(request: RawRequest, name: string, form: RegExp): string {
  const value = request[name]
  if (typeof value === 'string' && form.test(value)) return value
  throw new Refusal(`${name} is missing or malformed`)
}

export function sequence(request: RawRequest, name: string): number {
  const value = request[name]
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  throw new Refusal(`${name} is not a sequence`)
}

/** Rounds down. Throws a Refusal unless the value is a number of at least 0. */
export function amount(request: RawRequest, name: string): number {
  const value = request[name]
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return Math.floor(value)
  throw new Refusal(`${name} is not a number of at least 0`)
}

export const eventIdForm = /^[\x21-\x7e]{1,200}$/
export const durableForm = /^[a-z][a-z0-9-]{0,63}$/
export const readerForm = /^[A-Za-z0-9]{16,40}$/
export const reportForm = /^[0-9a-f-]{36}$/
export const filterForm = /^evt(\.([A-Za-z0-9_-]{1,128}|\*)){0,5}(\.>)?$/
/** Subjects of events about one user, or of notifications that contain the user's name. */
export const userSubjectForm = /^evt\.(user|notification)\.[A-Za-z0-9_-]{1,128}\.[A-Za-z0-9_-]{1,128}$/
