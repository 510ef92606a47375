/** Thrown if a request to the keeper is invalid or not allowed. The message says why. */
export class Refusal extends Error {}

type RawRequest = Record<string, unknown>

/** Reads a string that matches `form`. Throws a Refusal for anything else. */
export function text(request: RawRequest, name: string, form: RegExp): string {
  const value = request[name]
  if (typeof value === 'string' && form.test(value)) return value
  throw new Refusal(`${name} is missing or malformed`)
}

/** Reads a sequence of the stream, at least 1. Throws a Refusal for anything else. */
export function sequence(request: RawRequest, name: string): number {
  const value = request[name]
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  throw new Refusal(`${name} is not a sequence`)
}

/** Reads a number of at least 0, such as a count or milliseconds, rounded down. Throws a Refusal for anything else. */
export function amount(request: RawRequest, name: string): number {
  const value = request[name]
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return Math.floor(value)
  throw new Refusal(`${name} is not a count`)
}

/** Form of the id of an event. */
export const eventIdForm = /^[\x21-\x7e]{1,200}$/
/** Form of the name of a durable within its service. */
export const durableForm = /^[a-z][a-z0-9-]{0,63}$/
/** Form of the id of a reader, which its service generates. */
export const readerForm = /^[A-Za-z0-9]{16,40}$/
/** Form of the id of a report of lost events. */
export const reportForm = /^[0-9a-f-]{36}$/
/** Form of a filter over subjects of events. */
export const filterForm = /^evt(\.([A-Za-z0-9_-]{1,128}|\*)){0,5}(\.>)?$/
/** Form of a subject of events about one user, or of notifications that contain the user's name. */
export const userSubjectForm = /^evt\.(user|notification)\.[A-Za-z0-9_-]{1,128}\.[A-Za-z0-9_-]{1,128}$/
