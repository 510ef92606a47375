import { unknownTimezone } from '../errors.ts'

/** Offsets such as "+01:00" are time zones to some runtimes, but no IANA names. */
const shape = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/

/** An IANA name as it is stored, in the letter case of the database. Throws `invalid_argument`. */
export function timezoneFrom(name: string): string {
  const loaded = shape.test(name) ? load(name) : undefined
  if (loaded === undefined) throw unknownTimezone(name)
  // Older names are answered by their successors; whoever chose one keeps it.
  return loaded.toLowerCase() === name.toLowerCase() ? loaded : name
}

function load(timeZone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
