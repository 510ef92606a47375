import { effectiveSettings, type Fields, type ReadConfig } from '@parley/config'
import type { Check } from './check.ts'
import { reportTo, type Finding } from './finding.ts'

/** Checks the settings of a deployable with its own declaration. */
export function settingsCheck(deployable: string, readConfig: ReadConfig<Fields>): Check {
  return (sources) => {
    const findings: Finding[] = []
    const report = reportTo(findings)
    const settings = effectiveSettings(readConfig, sources)
    const mistakes = new Set(settings.flatMap(({ mistake }) => mistake ?? []))
    for (const mistake of mistakes)
      report.fail(
        'settings',
        mistake,
        `Correct it in the environment or in parley.toml; parley config ${deployable} shows where each value comes from.`,
      )
    if (mistakes.size === 0) report.ok('settings', `${settings.length} settings are valid`)
    return Promise.resolve(findings)
  }
}
