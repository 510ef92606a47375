const warning = 40
const levelNames: ReadonlyArray<readonly [number, string]> = [
  [60, 'fatal'],
  [50, 'error'],
  [warning, 'warn'],
]

/**
 * Returns the name of the service, followed by the level, message and reason of an entry of level warn or above, or by
 * the whole line if it is not a JSON object. Undefined for entries of other levels and for empty lines.
 */
export function formatForTerminal(service: string, line: string): string | undefined {
  if (line.trim() === '') return undefined
  const entry = parse(line)
  if (entry === undefined) return `${service}: ${line}`
  const level = levelNames.find(([minimum]) => typeof entry.level === 'number' && entry.level >= minimum)?.[1]
  const named = typeof entry.level === 'string' ? levelNames.find(([, name]) => name === entry.level)?.[1] : level
  if (named === undefined) return undefined
  const reason = reasonOf(entry)
  return `${service}: ${named}: ${typeof entry.msg === 'string' ? entry.msg : ''}${reason === undefined ? '' : ` (${reason})`}`
}

function reasonOf(entry: Record<string, unknown>): string | undefined {
  if (typeof entry.reason === 'string') return entry.reason
  const { err } = entry
  if (typeof err !== 'object' || err === null || !('message' in err)) return undefined
  return String(err.message)
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
