import { unknownTimezone } from '../errors.ts'

/** Some runtimes accept offsets such as "+01:00", which are not IANA names. */
const shape = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/

/**
 * Validates an IANA time zone name and returns it in the letter case of the time zone database. Throws
 * `invalid_argument`.
 */
export function timezoneFrom(name: string): string {
  const loaded = shape.test(name) ? load(name) : undefined
  if (loaded === undefined) throw unknownTimezone(name)
  // The runtime replaces deprecated names with current ones; keep the name that was chosen.
  return loaded.toLowerCase() === name.toLowerCase() ? loaded : name
}

function load(timeZone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
