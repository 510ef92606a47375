import type { Sources } from '@parley/config'
import { runChecks, type Check } from '../src/check.ts'
import type { Finding } from '../src/finding.ts'

/** Runs a check with this environment; returns its first finding with the given name. */
export async function findingOf(
  check: Check,
  env: NodeJS.ProcessEnv,
  name: string,
  timeoutMs?: number,
): Promise<Finding | undefined> {
  const sources: Sources = { env }
  return (await runChecks([check], sources, timeoutMs)).find((finding) => finding.check === name)
}

/** Runs a check with this environment; returns its findings without successes. */
export async function problems(check: Check, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  return (await runChecks([check], { env })).filter(({ result }) => result !== 'ok')
}
