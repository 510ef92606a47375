import { publicUrlField, secretsIn, withoutSecrets, type Fields, type ReadConfig } from '@parley/config'
import { propertiesOf, type Deployable } from '@parley/contracts/deployables'
import { busCheck } from './bus.ts'
import { portOf, reportCertificateFile, reportServerCertificate } from './certificates.ts'
import { check, runChecks, type Check } from './check.ts'
import { databaseCheck } from './database.ts'
import type { Finding } from './finding.ts'
import { redisCheck } from './redis.ts'
import { settingsCheck } from './settings.ts'
import { telemetryCheck } from './telemetry.ts'

export type DoctorOptions = {
  deployable: Deployable
  readConfig: ReadConfig<Fields>
  migrations?: URL
  /** Checks of dependencies that only this deployable uses. */
  checks?: readonly Check[]
}

/**
 * Checks the settings of a deployable and everything it depends on. Problems are reported, never thrown, and nothing is
 * changed permanently.
 */
export async function diagnose(options: DoctorOptions, env: NodeJS.ProcessEnv = process.env): Promise<Finding[]> {
  const { deployable, readConfig, migrations, checks = [] } = options
  const all = [
    settingsCheck(deployable, readConfig),
    authoritiesCheck,
    telemetryCheck,
    busCheck(deployable),
    ...(migrations === undefined ? [] : [databaseCheck(deployable, migrations)]),
    ...(propertiesOf(deployable).secrets?.includes('PARLEY_REDIS_URL') ? [redisCheck(deployable)] : []),
    ...(propertiesOf(deployable).proxies ? [publicAddressCheck] : []),
    ...checks,
  ]
  const allSecrets = secretsIn(readConfig.fields, { env })
  const secretsWithoutCollectors = secretsIn(readConfig.fields, { env }, { collectors: false })
  return (await runChecks(all, { env })).map((finding) => {
    const secrets = finding.check.startsWith('telemetry') ? allSecrets : secretsWithoutCollectors
    return {
      ...finding,
      found: withoutSecrets(finding.found, secrets),
      next: withoutSecrets(finding.next, secrets),
    }
  })
}

/** Prints the findings as JSON and ends the process. */
export async function runDoctor(options: DoctorOptions): Promise<void> {
  const findings = await diagnose(options)
  // Connections that hang must not delay the exit.
  process.stdout.write(`${JSON.stringify(findings)}\n`, () => process.exit(0))
}

/** Browsers treat pages of these addresses like those with TLS. */
const isLoopback = ({ hostname }: URL): boolean => /^(?:127(?:\.\d+){3}|\[::1\]|(?:.+\.)?localhost)$/.test(hostname)

const publicAddressCheck = check('public', publicUrlField(), async ({ publicUrl }, report) => {
  const url = new URL(publicUrl)
  if (url.protocol !== 'https:' && isLoopback(url))
    return report.ok('public.certificate', `only this machine reaches ${url.origin}, for which browsers need no TLS`)
  if (url.protocol !== 'https:')
    return report.warn(
      'public.certificate',
      `people reach this server without TLS, at ${url.origin}`,
      'Put a proxy with TLS in front and set PARLEY_WEBSERVER_URL to its https URL; without TLS browsers offer neither push nor calls.',
    )
  // Some networks do not let a server reach its own public address.
  await reportServerCertificate(report, 'public.certificate', { host: url.hostname, port: portOf(url) }, 'warn')
})

/** Checks the file of authorities that the operator adds for all connections, if there is one. */
const authoritiesCheck: Check = (sources) =>
  check('authorities', {}, async (_, report) => {
    const file = sources.env?.NODE_EXTRA_CA_CERTS
    if (file) await reportCertificateFile(report, 'authorities', file, 'authorities')
  })(sources)
