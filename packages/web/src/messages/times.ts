import { locale } from './texts.ts'

type Style = 'time' | 'day' | 'dayOfYear' | 'date' | 'both' | 'full'

const styles: Record<Style, Intl.DateTimeFormatOptions> = {
  time: { hour: 'numeric', minute: '2-digit' },
  day: { weekday: 'long', day: 'numeric', month: 'long' },
  dayOfYear: { dateStyle: 'full' },
  date: { dateStyle: 'medium' },
  both: { dateStyle: 'medium', timeStyle: 'short' },
  full: { dateStyle: 'full', timeStyle: 'short' },
}
const formats = new Map<Style, Intl.DateTimeFormat>()

/** Formats a time in the language and region of the interface: as time of day, day, date, or both in full. */
export function moment(style: Style, at: Date): string {
  let format = formats.get(style)
  if (!format) formats.set(style, (format = new Intl.DateTimeFormat(locale(), styles[style])))
  return format.format(at)
}

/** A time of day as digits, in every language alike. Most messages have no other, and the first formatter is slow to make. */
export const clock = (at: Date): string =>
  [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')

/** A time as its time of day, with the date unless it is today. */
export const lately = (at: Date, today: Date): string =>
  moment(at.toDateString() === today.toDateString() ? 'time' : 'both', at)

/** Name of a moment's day: "Today", "Yesterday", or its date, with the year if that is another one. */
export function dayName(at: Date, today: Date, spoken = locale()): string {
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1)
  const back = [today, yesterday].findIndex((day) => day.toDateString() === at.toDateString())
  if (back < 0) return moment(at.getFullYear() === today.getFullYear() ? 'day' : 'dayOfYear', at)
  const name = new Intl.RelativeTimeFormat(spoken, { numeric: 'auto' }).format(-back, 'day')
  return name.charAt(0).toLocaleUpperCase(spoken) + name.slice(1)
}

/** A time this many days from now, in the format of the server. */
export const timestampIn = (days: number) => ({
  seconds: BigInt(Math.floor(Date.now() / 1000) + days * 86_400),
  nanos: 0,
})

/** A list of names, as the language writes one. */
export const listed = (names: readonly string[]): string =>
  new Intl.ListFormat(locale(), { type: 'conjunction' }).format(names)

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** A size in bytes, in the unit that people would choose. */
export function bytes(size: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(size, 1)) / 3))
  const [maximumFractionDigits, unitDisplay] = step === 0 ? ([0, 'long'] as const) : ([1, 'short'] as const)
  const style = { style: 'unit', unit: units[step] ?? 'byte', maximumFractionDigits, unitDisplay } as const
  return new Intl.NumberFormat(locale(), style).format(size / 1000 ** step)
}
