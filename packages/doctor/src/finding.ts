/** `warn`: it works, but needs attention. `fail`: something does not work. */
export type Result = 'ok' | 'warn' | 'fail'

/** `diagnose` replaces secrets in the texts. */
export type Finding = {
  /** What was checked, such as `postgres.rights`. A name keeps its meaning in later releases. */
  check: string
  result: Result
  found: string
  /** What to do next; empty if nothing needs to be done. */
  next: string
}

/** Receives the findings of a check. They stay reported even if the check fails later or takes too long. */
export type Report = {
  ok(check: string, found: string): void
  warn(check: string, found: string, next: string): void
  fail(check: string, found: string, next: string): void
}

export function reportTo(findings: Finding[]): Report {
  const add = (result: Result) => (check: string, found: string, next: string) =>
    void findings.push({ check, result, found, next })
  return { ok: (check, found) => add('ok')(check, found, ''), warn: add('warn'), fail: add('fail') }
}

/** The message of an error, on one line. */
export function reasonOf(error: unknown): string {
  const causes = error instanceof AggregateError ? error.errors.map(reasonOf).join('; ') : ''
  const message = error instanceof Error ? error.message || causes || codeOf(error) || error.name : String(error)
  return message.replaceAll(/\s+/g, ' ').trim()
}

/** The code of an error of the system or a driver; empty if it has none. */
export function codeOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error && 'code' in first ? String(first.code) : ''
}
