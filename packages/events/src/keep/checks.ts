/** A request to the keeper is invalid or not allowed. The message says why. */
export class Refusal extends Error {}

type RawRequest = Record<string, unknown>

/** A string of that form. Throws a Refusal. */
export function text(request: RawRequest, name: string, form: RegExp): string {
  const value = request[name]
  if (typeof value === 'string' && form.test(value)) return value
  throw new Refusal(`${name} is not what it should be`)
}

/** A sequence of the stream: from 1 on. Throws a Refusal. */
export function sequence(request: RawRequest, name: string): number {
  const value = request[name]
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  throw new Refusal(`${name} is no sequence`)
}

/** A number of things: from 0 on. Throws a Refusal. */
export function amount(request: RawRequest, name: string): number {
  const value = request[name]
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return Math.floor(value)
  throw new Refusal(`${name} is no number of things`)
}

/** The id of an event. */
export const eventIdForm = /^[\x21-\x7e]{1,200}$/
/** The name of a durable within its service. */
export const durableForm = /^[a-z][a-z0-9-]{0,63}$/
/** The id of a reader: what its service made up. */
export const readerForm = /^[A-Za-z0-9]{16,40}$/
/** Form of the id of a report of lost events. */
export const reportForm = /^[0-9a-f-]{36}$/
/** A filter over subjects of events. */
export const filterForm = /^evt(\.([A-Za-z0-9_-]{1,128}|\*)){0,5}(\.>)?$/
/** Subjects of one kind of event of one user, or of events that carry the user's name. */
export const userSubjectForm = /^evt\.(user|notification)\.[A-Za-z0-9_-]{1,128}\.[A-Za-z0-9_-]{1,128}$/
