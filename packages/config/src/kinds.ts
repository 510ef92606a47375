import { fieldKind, SettingError, type Field, type FieldKind, type FieldOptions, type Limits } from './field.ts'

/** `min` and `max` count characters. */
export const str: FieldKind<string> = fieldKind('text', text)

/** Never shown: passwords, keys, URLs that carry a password. */
export const secret: FieldKind<string> = fieldKind('secret', text, { secret: true })

export const int: FieldKind<number> = fieldKind('whole number', (raw, limits) => {
  const value = typeof raw === 'string' && /^[+-]?\d+$/.test(raw.trim()) ? Number(raw) : raw
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new SettingError('is not a whole number')
  return checkRange(value, limits)
})

/** 0 lets the system choose a free port. */
export const port: FieldKind<number> = fieldKind('port', (raw) => {
  const value = typeof raw === 'string' && /^\d+$/.test(raw.trim()) ? Number(raw) : raw
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 65_535) {
    throw new SettingError('is not a port (0 to 65535)')
  }
  return value
})

const booleans = new Map<unknown, boolean>([
  ...['true', 'yes', 'on', '1', 1, true].map((yes) => [yes, true] as const),
  ...['false', 'no', 'off', '0', 0, false].map((no) => [no, false] as const),
])

/** `yes`, `on`, `1` and their opposites are accepted too. */
export const bool: FieldKind<boolean> = fieldKind('true or false', (raw) => {
  const value = booleans.get(typeof raw === 'string' ? raw.trim().toLowerCase() : raw)
  if (value === undefined) throw new SettingError('is neither true nor false')
  return value
})

/** An absolute URL, kept unchanged. */
export const url: FieldKind<string> = fieldKind('URL', (raw, limits) => {
  const value = text(raw, limits)
  if (!URL.canParse(value) || !value.includes('//')) throw new SettingError('is not an absolute URL')
  return value
})

const milliseconds = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Such as `500ms`, `15s`, `3h` or `90d`. The value, `min` and `max` are in milliseconds. */
export const duration: FieldKind<number> = fieldKind('duration', parseDuration, {
  shown: (value) => durationText(Number(value)),
})

/** Timers of Node.js that are longer than 2^31-1 ms, which is 24 days and 20 hours, fire at once. */
const longestTimerMs = 24 * milliseconds.d

/** At most `24d`. */
export const timerDuration: FieldKind<number> = fieldKind(
  'duration',
  (raw, { max = longestTimerMs, ...limits }) => parseDuration(raw, { ...limits, max: Math.min(max, longestTimerMs) }),
  { shown: (value) => durationText(Number(value)) },
)

function parseDuration(raw: unknown, limits: Limits): number {
  const ms = parseQuantity(raw, milliseconds, 'a duration such as 500ms, 15s, 10m, 3h or 90d')
  return checkRange(ms, limits, durationText)
}

function durationText(ms: number): string {
  const [unit, size] = Object.entries(milliseconds).findLast(([, one]) => ms % one === 0) ?? ['ms', 1]
  return `${ms / size}${unit}`
}

const byteUnits = { B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }

/** Such as `64 KiB` or `25 MB`, read as bytes. A number without a unit counts bytes. */
export const bytes: FieldKind<number> = fieldKind('size', (raw, limits) => {
  const value = typeof raw === 'number' || (typeof raw === 'string' && /^\d+$/.test(raw.trim())) ? `${raw} B` : raw
  return checkRange(Math.round(parseQuantity(value, byteUnits, 'a size such as 64 KiB or 25 MB')), limits)
})

/** Comma-separated in the environment, an array in the file. `min` and `max` count elements. */
export const list: FieldKind<readonly string[]> = fieldKind<readonly string[]>(
  'list',
  (raw, { pattern, ...limits }) => {
    const elements: unknown = typeof raw === 'string' ? raw.split(',').map((element) => element.trim()) : raw
    if (!Array.isArray(elements) || !elements.every((element) => typeof element === 'string')) {
      throw new SettingError('is not a list of strings')
    }
    const present = elements.filter((element) => element !== '')
    for (const element of present) checkPattern(element, pattern)
    checkRange(present.length, limits, (count) => `${count} elements`)
    return present
  },
)

export function oneOf<const V extends string>(
  env: string | string[],
  options: FieldOptions<V> & { values: readonly V[]; optional: true },
): Field<V | undefined>
export function oneOf<const V extends string>(
  env: string | string[],
  options: FieldOptions<V> & { values: readonly V[] },
): Field<V>
export function oneOf<const V extends string>(
  env: string | string[],
  options: FieldOptions<V> & { values: readonly V[] },
): Field<V> {
  const kind: FieldKind<V> = fieldKind(options.values.join(', '), (raw) => {
    const value = options.values.find((candidate) => candidate === raw)
    if (value === undefined) throw new SettingError(`is not one of: ${options.values.join(', ')}`)
    return value
  })
  return kind(env, options)
}

function text(raw: unknown, { pattern, ...limits }: Limits): string {
  if (typeof raw !== 'string') throw new SettingError('is not a string')
  checkRange(raw.length, limits, (count) => `${count} characters`)
  return checkPattern(raw, pattern)
}

function checkPattern(value: string, pattern: RegExp | undefined): string {
  if (pattern && !pattern.test(value)) throw new SettingError(`does not match ${pattern.source}`)
  return value
}

/** `show` formats a limit for the error. */
function checkRange(
  value: number,
  { min = -Infinity, max = Infinity }: Limits,
  show: (limit: number) => string = String,
): number {
  if (value < min) throw new SettingError(`is below the minimum of ${show(min)}`)
  if (value > max) throw new SettingError(`is above the maximum of ${show(max)}`)
  return value
}

function parseQuantity(raw: unknown, units: Record<string, number>, expected: string): number {
  const [, amount, unit] = (typeof raw === 'string' && /^(\d+(?:\.\d+)?)\s*([A-Za-z]+)$/.exec(raw.trim())) || []
  const size = unit !== undefined && Object.hasOwn(units, unit) ? units[unit] : undefined
  if (amount === undefined || size === undefined) throw new SettingError(`is not ${expected}`)
  return Number(amount) * size
}
