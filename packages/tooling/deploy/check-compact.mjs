import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { inWorkspace } from '../steps.mjs'
import { compactDeployables } from './manifest.mjs'
import { problemsOfEnvironment } from './settings.mjs'

/**
 * The compact process must have the settings of every deployable that it contains, and none of those may also run
 * separately.
 */
export async function problemsOfCompact(services) {
  const problems = []
  const must = (holds, problem) => holds || problems.push(`compose.yaml: ${problem}`)
  const { environment, ...process } = services.compact
  for (const name of compactDeployables) {
    const found = await problemsOfEnvironment('compose.yaml: compact', name, environment)
    // The process also has the settings of the other deployables that it contains.
    problems.push(...found.filter((problem) => !problem.includes(' does not read ')))
    const password = `PARLEY_NATS_PASSWORD_${name.toUpperCase()}`
    must(
      environment[password] === services.nats.environment[password],
      `compact and nats have different values of ${password}`,
    )
    const missing = Object.keys(services[name].environment).filter((variable) => !(variable in environment))
    must(missing.length === 0, `compact does not get ${missing.join(', ')}`)
  }
  const { read_only, cap_drop, stop_grace_period } = services.gateway
  must(process.stop_grace_period === stop_grace_period, 'the stop_grace_period of compact differs from that of gateway')
  must(
    process.read_only === read_only && process.cap_drop.join() === cap_drop.join(),
    'compact is not locked down as gateway is',
  )
  const layout = parse(readFileSync(inWorkspace('deploy/compose/compact.yaml'), 'utf8')).services
  const twice = compactDeployables.filter((name) => layout[name]?.profiles?.join() !== 'separate')
  must(twice.length === 0, `with compact.yaml ${twice.join(', ')} would run twice`)
  return problems
}
