import { locale } from './texts.ts'

type Style = 'time' | 'day' | 'dayOfYear' | 'date' | 'both' | 'full'

const styles: Record<Style, Intl.DateTimeFormatOptions> = {
  time: { timeStyle: 'short' },
  day: { weekday: 'long', day: 'numeric', month: 'long' },
  dayOfYear: { dateStyle: 'full' },
  date: { dateStyle: 'medium' },
  both: { dateStyle: 'medium', timeStyle: 'short' },
  full: { dateStyle: 'full', timeStyle: 'short' },
}
const formats = new Map<string, Intl.DateTimeFormat>()

export const formatTime = (style: Style, at: Date, inLocale = locale()): string => formatOf(style, inLocale).format(at)

function formatOf(style: Style, inLocale: string): Intl.DateTimeFormat {
  const key = `${inLocale} ${style}`
  let format = formats.get(key)
  if (!format) formats.set(key, (format = new Intl.DateTimeFormat(inLocale, styles[style])))
  return format
}

/** Formats a time of day like {@link formatTime}, but without “AM” and “PM”: the margin of a timeline is narrow. */
export const formatClock = (at: Date, inLocale = locale()): string =>
  formatOf('time', inLocale)
    .formatToParts(at)
    .map(({ type, value }) => (type === 'dayPeriod' ? '' : value))
    .join('')
    .trim()

/** Formats a time as its time of day, with the date unless that is today. */
export const formatShortTime = (at: Date, today: Date): string =>
  formatTime(at.toDateString() === today.toDateString() ? 'time' : 'both', at)

export function formatDay(at: Date, today: Date, inLocale = locale()): string {
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1)
  const back = [today, yesterday].findIndex((day) => day.toDateString() === at.toDateString())
  if (back < 0) return formatTime(at.getFullYear() === today.getFullYear() ? 'day' : 'dayOfYear', at, inLocale)
  const name = new Intl.RelativeTimeFormat(inLocale, { numeric: 'auto' }).format(-back, 'day')
  return name.charAt(0).toLocaleUpperCase(inLocale) + name.slice(1)
}

export const timestampIn = (days: number) => ({
  seconds: BigInt(Math.floor(Date.now() / 1000) + days * 86_400),
  nanos: 0,
})

export const formatList = (names: readonly string[]): string =>
  new Intl.ListFormat(locale(), { type: 'conjunction' }).format(names)

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

export function formatBytes(size: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(size, 1)) / 3))
  const [maximumFractionDigits, unitDisplay] = step === 0 ? ([0, 'long'] as const) : ([1, 'short'] as const)
  const style = { style: 'unit', unit: units[step] ?? 'byte', maximumFractionDigits, unitDisplay } as const
  return new Intl.NumberFormat(locale(), style).format(size / 1000 ** step)
}
