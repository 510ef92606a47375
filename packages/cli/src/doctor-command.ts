import { resolve } from 'node:path'
import { serviceNames } from '@parley/local/known'
import type { Finding, Result } from '@parley/doctor'
import type { Command } from 'commander'
import { exitCodes, Failure, misused, unreachable } from './failure.ts'
import { environmentInFolder } from './environment-in-folder.ts'
import { output } from './programs.ts'
import type { Surroundings } from './surroundings.ts'
import { counted } from './transfer/counted.ts'

/** Longest time for all checks of one service, which run side by side, in milliseconds. */
const serviceMs = 45_000

/** Variables of which every service has at least one. */
const servers = /^PARLEY_(NATS_URL|REDIS_URL|[A-Z]+_DATABASE_URL)$/

/** A finding, and the service that reported it. */
type Found = { service: string } & Finding
type Report = { result: Result; counts: Record<Result, number>; findings: Found[] }

/** Adds `doctor`: checks settings and dependencies of every service with the service's own program. */
export function addDoctorCommand(parent: Command, { print, dataDir, env }: Surroundings): Command {
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
      const report = summed(findings.flat())
      print({ json: report, text: asText(report, all) })
      if (report.result === 'fail')
        throw new Failure(exitCodes.refused, 'failed_precondition', `${counted(report.counts.fail, 'checks')} failed`)
    })
}

/**
 * The environment that the fleet on the data folder gives to a service. Without a fleet, that of this command; if it
 * has the bus passwords of all services, the service's own is selected. Throws if there is neither.
 */
function environmentOf(service: string, dataDir: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const known = environmentInFolder(dataDir, service, env)
  if (known) return known
  if (!Object.entries(env).some(([name, value]) => value && servers.test(name)))
    throw unreachable(
      `no fleet has run on ${resolve(dataDir)}; run make run first, name its folder with --data-dir or PARLEY_DATA_DIR, or give the environment of a service, with PARLEY_NATS_URL`,
    )
  const password = env[`PARLEY_NATS_PASSWORD_${service.toUpperCase()}`]
  return password ? { ...env, PARLEY_NATS_USER: service, PARLEY_NATS_PASSWORD: password } : env
}

async function findingsOf(service: string, env: NodeJS.ProcessEnv): Promise<Found[]> {
  try {
    // The program checks the configured log level, so it does not silence its log: lines of the log are objects,
    // findings are not.
    const lines = (await output(service, 'doctor', env, '', serviceMs)).split('\n')
    const findings = JSON.parse(lines.findLast((line) => line.startsWith('[')) ?? '') as Finding[]
    return findings.map((finding) => ({ service, ...finding }))
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    const next = 'Repeat it; if it fails again, report this.'
    return [{ service, check: 'doctor', result: 'fail', found, next }]
  }
}

function summed(findings: Found[]): Report {
  const counts: Report['counts'] = { ok: 0, warn: 0, fail: 0 }
  for (const { result } of findings) counts[result]++
  return { result: counts.fail > 0 ? 'fail' : counts.warn > 0 ? 'warn' : 'ok', counts, findings }
}

/** Findings that several services share are printed once. */
function asText({ counts, findings }: Report, all: boolean): string {
  const alike = new Map<string, Found[]>()
  for (const finding of findings.filter(({ result }) => all || result !== 'ok')) {
    const key = [finding.result, finding.check, finding.found, finding.next].join('\n')
    alike.set(key, [...(alike.get(key) ?? []), finding])
  }
  const blocks = [...alike.values()].flatMap(([one, ...others]) => {
    if (one === undefined) return []
    const whose = [one, ...others].map(({ service }) => service).join(', ')
    const line = `${one.result.padEnd(4)}  ${one.check}  (${whose})\n      ${one.found}`
    return one.next === '' ? line : `${line}\n      -> ${one.next}`
  })
  return [...blocks, `${counts.ok} ok, ${counted(counts.warn, 'warnings')}, ${counted(counts.fail, 'failures')}`].join(
    '\n',
  )
}
