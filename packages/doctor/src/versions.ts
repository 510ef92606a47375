import type { Report } from './finding.ts'

/** The oldest release of each server that Parley supports. */
export const oldestVersions = { PostgreSQL: '14', NATS: '2.9', Redis: '6' } as const

export function reportVersion(
  report: Report,
  check: string,
  server: keyof typeof oldestVersions,
  version: string,
): void {
  const oldest = oldestVersions[server]
  if (isAtLeast(version, oldest)) report.ok(check, `${server} ${version}`)
  else report.fail(check, `${server} ${version} is too old`, `Upgrade it to ${oldest} or newer.`)
}

/** Compares as many numbers as `oldest` has. */
export function isAtLeast(version: string, oldest: string): boolean {
  const numbers = version.split(/[^0-9]+/).map(Number)
  for (const [index, wanted] of oldest.split('.').map(Number).entries()) {
    const actual = numbers[index] ?? 0
    if (actual !== wanted) return !(actual < wanted)
  }
  return true
}
