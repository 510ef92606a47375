import { effectiveSettings, type Fields, type ReadConfig } from '@parley/config'
import type { Check } from './check.ts'
import { reportTo, type Finding } from './finding.ts'

export function settingsCheck(deployable: string, readConfig: ReadConfig<Fields>): Check {
  return (sources) => {
    const findings: Finding[] = []
    const report = reportTo(findings)
    const settings = effectiveSettings(readConfig, sources)
    const mistakes = new Map(settings.flatMap((one) => (one.mistake ? [[one.mistake, one] as const] : [])))
    for (const [mistake, { env, toml }] of mistakes) {
      // An error of the file itself is reported with the variable that names the file.
      const inFile = toml !== '' || env === 'PARLEY_CONFIG_FILE'
      report.fail(
        'settings',
        mistake,
        `Correct it in the environment${inFile ? ' or in parley.toml' : ''}; parley config ${deployable} shows where each value comes from.`,
      )
    }
    if (mistakes.size === 0) report.ok('settings', `${settings.length} settings are valid`)
    return Promise.resolve(findings)
  }
}
