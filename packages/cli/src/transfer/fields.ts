export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
export const flagOf = (value: unknown): boolean => value === true
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : [])
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})
export const textsOf = (value: unknown): string[] => listOf(value).filter((item) => typeof item === 'string')
export const fieldsList = (value: unknown): Fields[] => listOf(value).filter(isFields)

export function dateOfSeconds(value: unknown): Date | undefined {
  const seconds = typeof value === 'number' ? value : Number(textOf(value) || Number.NaN)
  return Number.isFinite(seconds) && seconds > 0 && seconds < 1e11 ? new Date(Math.floor(seconds * 1000)) : undefined
}
