import { unknownTimezone } from '../errors.ts'

/** Excludes offsets such as "+01:00", which some runtimes accept although they are not IANA names. */
const shape = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/

/**
 * Corrects the letter case, unless the runtime has another name for the zone: then the name is returned as given.
 * Throws `invalid_argument`.
 */
export function timezoneFrom(name: string): string {
  const loaded = shape.test(name) ? load(name) : undefined
  if (loaded === undefined) throw unknownTimezone(name)
  return loaded.toLowerCase() === name.toLowerCase() ? loaded : name
}

function load(timeZone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
