import { resolve } from 'node:path'
import { serviceNames } from '@parley/local/known'
import type { Finding, Result } from '@parley/doctor'
import type { Command } from 'commander'
import { exitCodes, Failure, misused, unreachable } from './failure.ts'
import { environmentInFolder } from './environment-in-folder.ts'
import { outputOf } from './programs.ts'
import type { CommandContext } from './command-context.ts'
import { formatCount } from './transfer/format-count.ts'

/** The time limit holds for all checks of one service, which run concurrently. */
const serviceTimeoutMs = 45_000

/** Every service has at least one of these variables. */
const serverVariables = /^PARLEY_(NATS_URL|REDIS_URL|[A-Z]+_DATABASE_URL)$/

type ServiceFinding = { service: string } & Finding
type Report = { result: Result; counts: Record<Result, number>; findings: ServiceFinding[] }

export function addDoctorCommand(parent: Command, { print, dataDir, env }: CommandContext): Command {
  return parent
    .command('doctor')
    .argument('[services...]', `some of ${serviceNames.join(', ')}; default: all`)
    .description('check settings, dependencies, rights, versions, migrations, clocks and certificates')
    .option('--all', 'also print the checks that found no problem')
    .action(async (services: string[], { all = false }: { all?: boolean }) => {
      const unknown = services.find((name) => !serviceNames.includes(name))
      if (unknown !== undefined) throw misused(`there is no service ${unknown}`)
      const wanted = services.length === 0 ? serviceNames : services
      const folder = dataDir()
      const findings = await Promise.all(wanted.map((name) => findingsOf(name, environmentOf(name, folder, env))))
      const report = summarize(findings.flat())
      print({ json: report, text: asText(report, all) })
      if (report.result === 'fail')
        throw new Failure(
          exitCodes.refused,
          'failed_precondition',
          `${formatCount(report.counts.fail, 'checks')} failed`,
        )
    })
}

/**
 * The environment that the fleet on the data folder gives to a service. Without a fleet, the environment of this
 * command, with its bus password for the service (`PARLEY_NATS_PASSWORD_...`) if there is one. Throws if the
 * environment has no URL of a server.
 */
function environmentOf(service: string, dataDir: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const known = environmentInFolder(dataDir, service, env)
  if (known) return known
  if (!Object.entries(env).some(([name, value]) => value && serverVariables.test(name)))
    throw unreachable(
      `no fleet has run on ${resolve(dataDir)}; start one with make run, set its data folder with --data-dir or PARLEY_DATA_DIR, or set the environment variables of a service, such as PARLEY_NATS_URL`,
    )
  const password = env[`PARLEY_NATS_PASSWORD_${service.toUpperCase()}`]
  return password ? { ...env, PARLEY_NATS_USER: service, PARLEY_NATS_PASSWORD: password } : env
}

async function findingsOf(service: string, env: NodeJS.ProcessEnv): Promise<ServiceFinding[]> {
  try {
    // The output also contains log lines: these are JSON objects, while the findings are an array.
    const lines = (await outputOf(service, 'doctor', env, '', serviceTimeoutMs)).split('\n')
    const findings = JSON.parse(lines.findLast((line) => line.startsWith('[')) ?? '') as Finding[]
    return findings.map((finding) => ({ service, ...finding }))
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    const next = 'Run the doctor again; if the check fails again, report this as a bug.'
    return [{ service, check: 'doctor', result: 'fail', found, next }]
  }
}

function summarize(findings: ServiceFinding[]): Report {
  const counts: Report['counts'] = { ok: 0, warn: 0, fail: 0 }
  for (const { result } of findings) counts[result]++
  return { result: counts.fail > 0 ? 'fail' : counts.warn > 0 ? 'warn' : 'ok', counts, findings }
}

/** A finding that several services report is shown once. */
function asText({ counts, findings }: Report, all: boolean): string {
  const groups = new Map<string, ServiceFinding[]>()
  for (const finding of findings.filter(({ result }) => all || result !== 'ok')) {
    const key = [finding.result, finding.check, finding.found, finding.next].join('\n')
    groups.set(key, [...(groups.get(key) ?? []), finding])
  }
  const blocks = [...groups.values()].flatMap(([one, ...others]) => {
    if (one === undefined) return []
    const services = [one, ...others].map(({ service }) => service).join(', ')
    const line = `${one.result.padEnd(4)}  ${one.check}  (${services})\n      ${one.found}`
    return one.next === '' ? line : `${line}\n      -> ${one.next}`
  })
  return [
    ...blocks,
    `${counts.ok} ok, ${formatCount(counts.warn, 'warnings')}, ${formatCount(counts.fail, 'failures')}`,
  ].join('\n')
}
