import { ConfigError, defineConfig, type ConfigOf, type Fields, type Sources } from '@parley/config'
import { reasonOf, reportTo, type Finding, type Report } from './finding.ts'

const checkTimeoutMs = 15_000

/** Never rejects. */
export type Check = (sources: Sources, timeoutMs?: number) => Promise<Finding[]>

/** Runs a check with the settings that it declares. The signal is aborted when the check has timed out or ended. */
export type Examine<F extends Fields> = (config: ConfigOf<F>, report: Report, signal: AbortSignal) => Promise<void>

/**
 * Defines a check. It reads only the settings in `fields`, so that an invalid value of another setting does not prevent
 * it.
 */
export function check<F extends Fields>(name: string, fields: F, examine: Examine<F>): Check {
  const read = defineConfig(fields)
  return async (sources, timeoutMs = checkTimeoutMs) => {
    const findings: Finding[] = []
    const report = reportTo(findings)
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), timeoutMs)
    try {
      const examination = examine(read(sources), report, timeout.signal)
      if ((await Promise.race([examination, aborted(timeout.signal)])) === 'aborted')
        report.fail(
          name,
          `not finished within ${timeoutMs / 1000} s`,
          'Look for a server that accepts connections without responding, or for a firewall that drops packets.',
        )
    } catch (error) {
      if (error instanceof ConfigError)
        report.warn(name, 'not checked, because its settings are invalid', 'Correct the settings, then check again.')
      else
        report.fail(
          name,
          `the check failed: ${reasonOf(error)}`,
          'Run the doctor again; if the check fails again, report this as a bug.',
        )
    } finally {
      clearTimeout(timer)
      timeout.abort()
    }
    return findings
  }
}

/** Runs checks concurrently and returns their findings in the order of the checks. */
export async function runChecks(checks: readonly Check[], sources: Sources, timeoutMs?: number): Promise<Finding[]> {
  return (await Promise.all(checks.map((one) => one(sources, timeoutMs)))).flat()
}

const aborted = (signal: AbortSignal): Promise<'aborted'> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve('aborted'), { once: true }))
