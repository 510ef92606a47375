import { language } from './texts.ts'

type Style = 'time' | 'clock' | 'day' | 'full'

const styles: Record<Style, Intl.DateTimeFormatOptions> = {
  time: { hour: 'numeric', minute: '2-digit' },
  clock: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { weekday: 'long', day: 'numeric', month: 'long' },
  full: { dateStyle: 'full', timeStyle: 'short' },
}
const formats = new Map<Style, Intl.DateTimeFormat>()

/** A moment in the language of the interface: the time of day, also where there is little room, the day, or both in full. */
export function moment(style: Style, at: Date): string {
  let format = formats.get(style)
  if (!format) formats.set(style, (format = new Intl.DateTimeFormat(language(), styles[style])))
  return format.format(at)
}

/** A list of names, as the language writes one. */
export const listed = (names: readonly string[]): string =>
  new Intl.ListFormat(language(), { type: 'conjunction' }).format(names)
